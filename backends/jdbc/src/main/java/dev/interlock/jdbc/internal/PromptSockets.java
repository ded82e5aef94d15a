package dev.interlock.jdbc.internal;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import javax.net.SocketFactory;

/**
 * Sockets for a connection of PostgreSQL's driver that only listens. After each notification the driver looks whether another one has come,
 * and waits a millisecond for it; these say at once that there is none. Named to the driver, which makes it.
 */
public final class PromptSockets extends SocketFactory {
    /** The limit by which the driver asks for what is there already. */
    private static final int LOOK_MILLIS = 1;

    @Override
    public Socket createSocket() {
        return new PromptSocket();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        throw new IOException("The driver connects by itself");
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
                    if (getSoTimeout() == LOOK_MILLIS && in.available() == 0) {
                        throw new NothingYet();
                    }
                    return super.read(into, offset, length);
                }
            };
        }
    }

    /** Without a stack trace: one is thrown after each notification, and caught at once. */
    private static final class NothingYet extends SocketTimeoutException {
        private static final long serialVersionUID = 1L;

        @Override
        public Throwable fillInStackTrace() {
            return this;
        }
    }
}
