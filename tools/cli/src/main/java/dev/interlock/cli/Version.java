package dev.interlock.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** Prints the version of Interlock and of Java for {@code --version}. */
public final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() throws IOException {
        Properties properties = new Properties();
        try (InputStream resource = Objects.requireNonNull(
                Version.class.getResourceAsStream("version.properties"), "version.properties is missing")) {
            properties.load(resource);
        }
        return new String[] {"interlock " + properties.getProperty("version"), "on Java " + Runtime.version()};
    }
}
