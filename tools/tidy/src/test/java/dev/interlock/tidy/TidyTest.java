package dev.interlock.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Every rule, over the whole repository. Findings name file and line. */
class TidyTest {
    private static final Repository REPOSITORY = Repository.read();

    /** A rule over nothing always passes. */
    @Test
    void theRepositoryWasRead() {
        assertThat(REPOSITORY.files("java")).hasSizeGreaterThan(500);
        assertThat(REPOSITORY.files("md")).hasSizeGreaterThan(25);
        assertThat(REPOSITORY.files("lua")).hasSizeGreaterThan(10);
        assertThat(REPOSITORY.files("sql")).hasSizeGreaterThan(30);
    }

    @Test
    void linesFitTheScreen() {
        assertNone(LineLength.findings(REPOSITORY));
    }

    @Test
    void wordsAreThoseOfTheGlossary() {
        assertNone(new BannedWords().findings(REPOSITORY));
    }

    @Test
    void linksInMarkdownLeadSomewhere() {
        assertNone(new Links(REPOSITORY).findings());
    }

    @Test
    void quotedMessagesExist() {
        assertNone(QuotedMessages.findings(REPOSITORY));
    }

    @Test
    void mainTypesHaveNamesOfTheirOwn() {
        assertNone(TypeNames.shared(REPOSITORY));
    }

    @Test
    void publicTypesSaySinceWhenTheyExist() {
        assertNone(TypeNames.withoutSince(REPOSITORY));
    }

    private static void assertNone(List<String> findings) {
        assertThat(findings)
                .as("%d findings%n%s", findings.size(), String.join("\n", findings))
                .isEmpty();
    }
}
