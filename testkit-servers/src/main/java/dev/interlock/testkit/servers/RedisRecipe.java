package dev.interlock.testkit.servers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A Redis data server. It has no persistence by default, because a test chooses what survives a restart. */
record RedisRecipe(RedisVersion version, Map<String, String> settings) implements Recipe {
    @Override
    public String name() {
        return version.title();
    }

    @Override
    public List<String> command(Path data, int port) {
        List<String> line = new ArrayList<>(List.of(
                version.program().toString(),
                "--port",
                Integer.toString(port),
                "--bind",
                "127.0.0.1",
                "--dir",
                data.toString(),
                "--save",
                ""));
        if (version != RedisVersion.V6_2) {
            line.addAll(List.of("--enable-debug-command", "yes"));
        }
        settings.forEach((name, value) -> line.addAll(List.of("--" + name, value)));
        return line;
    }

    @Override
    public boolean isReady(Path data, int port) throws IOException {
        return Resp.send("127.0.0.1", port, "PING").equals("PONG");
    }
}
