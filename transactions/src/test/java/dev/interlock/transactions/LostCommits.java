package dev.interlock.transactions;

import dev.interlock.testkit.faults.Fault;
import dev.interlock.testkit.faults.FaultProxy;
import dev.interlock.testkit.faults.Framing;
import dev.interlock.testkit.faults.Matching;
import dev.interlock.testkit.servers.MySqlServer;
import dev.interlock.testkit.servers.PostgresServer;
import dev.interlock.testkit.servers.SqlServer;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Locale;

/** A database that executes commits and does not answer them: a proxy closes the connection instead. */
final class LostCommits implements AutoCloseable {
    final UnpooledSource direct;
    final UnpooledSource cut;
    private final FaultProxy proxy;

    private LostCommits(SqlServer server, Framing framing) throws SQLException {
        String url = server.freshDatabase();
        int port = server.node().port();
        proxy = FaultProxy.to("127.0.0.1", port, framing);
        direct = new UnpooledSource(url);
        cut = new UnpooledSource(url.replace(":" + port + "/", ":" + proxy.port() + "/"));
    }

    static LostCommits of(PostgresServer server) throws SQLException {
        return new LostCommits(server, Framing.postgres());
    }

    static LostCommits of(MySqlServer server) throws SQLException {
        return new LostCommits(server, Framing.mysql());
    }

    /** Stops answering commits. */
    Fault begin() {
        return proxy.cutBeforeReply(Matching.request(request -> {
            String text = new String(request, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
            return text.contains("commit") && !text.contains("autocommit");
        }));
    }

    @Override
    public void close() {
        proxy.close();
    }
}
