package dev.interlock.testkit.workers;

import dev.interlock.testkit.history.EventLog;
import dev.interlock.testkit.history.ResourceRecorder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;

/** The process of a {@link FencedResource}. It prints its port on one line and serves until its standard input ends. */
final class ResourceMain {
    private ResourceMain() {}

    /** Arguments: the log, the number in the history, the name, the role, the capacity of the log. */
    public static void main(String[] arguments) throws IOException {
        EventLog.Role role = EventLog.Role.valueOf(arguments[3]);
        EventLog.Writer writer = new EventLog.Writer(Integer.parseInt(arguments[1]), arguments[2], role);
        EventLog log = EventLog.create(Path.of(arguments[0]), writer, Integer.parseInt(arguments[4]));
        ServerSocketChannel server = ServerSocketChannel.open();
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 256);
        ResourceServer resource = new ResourceServer(
                server, new ResourceRecorder(log, System::nanoTime), role == EventLog.Role.FENCED_RESOURCE);
        System.out.println(((InetSocketAddress) server.getLocalAddress()).getPort());
        System.out.flush();
        Children.endWithInput();
        resource.serve();
    }
}
