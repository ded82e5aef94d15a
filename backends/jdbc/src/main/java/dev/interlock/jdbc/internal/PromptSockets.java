package dev.interlock.jdbc.internal;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import javax.net.SocketFactory;

/**
 * Sockets for a PostgreSQL connection that only listens for notifications.
 *
 * <p>After each notification the driver checks for another one with a read timeout of one millisecond. If no bytes are
 * available, these sockets time out at once instead. The driver loads this class by its name.
 */
public final class PromptSockets extends SocketFactory {
    /** The read timeout with which the driver checks for bytes that have already arrived. */
    private static final int PEEK_MILLIS = 1;

    @Override
    public Socket createSocket() {
        return new PromptSocket();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        throw new IOException("The PostgreSQL driver must connect this socket itself");
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        return createSocket(host, port);
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return createSocket(host.getHostName(), port);
    }

    @Override
    public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort)
            throws IOException {
        return createSocket(address, port);
    }

    private static final class PromptSocket extends Socket {
        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read(byte[] into, int offset, int length) throws IOException {
                    if (getSoTimeout() == PEEK_MILLIS && in.available() == 0) {
                        throw new NoBytesYet();
                    }
                    return super.read(into, offset, length);
                }
            };
        }
    }

    /** Has no stack trace, because one is thrown after each notification and caught at once. */
    private static final class NoBytesYet extends SocketTimeoutException {
        private static final long serialVersionUID = 1L;

        @Override
        public Throwable fillInStackTrace() {
            return this;
        }
    }
}
