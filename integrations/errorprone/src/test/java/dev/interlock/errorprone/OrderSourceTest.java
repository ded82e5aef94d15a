package dev.interlock.errorprone;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockType;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Where the declared order comes from. */
class OrderSourceTest {
    private static final String NESTED = """
            void m(String id) {
              locks.run(LockKey.of("item", id), lease -> {
                locks.run(LockKey.of("character", id), inner -> work());%s
              });
            }
            """;
    private static final String FOUND = NESTED.formatted(" // BUG against the declared order (character, item)");
    private static final String SILENT = NESTED.formatted("");

    private static Snippet option(String value) {
        return Snippet.checkedBy(InterlockLockOrder.class).with("-XepOpt:Interlock:Order=" + value);
    }

    /** Available as a class file on the class path of these compilations. */
    public enum CompiledTypes {
        CHARACTER,
        ITEM,
        GIFT_CARD
    }

    /** The compiler cannot see its value. */
    public static final dev.interlock.lock.LockOrder COMPILED = dev.interlock.lock.LockOrder.of("character", "item");

    @Nested
    class NamedByTheOption {
        @Test
        void enumInSource() {
            option("com.acme.Types")
                    .beside(
                            "com/acme/Types.java",
                            "package com.acme; public enum Types { CHARACTER, ITEM; int other; }")
                    .compile(FOUND);
        }

        @Test
        void enumInAClassFile() {
            option(CompiledTypes.class.getName().replace('$', '.'))
                    .compile(NESTED.formatted(" // BUG against the declared order (character, item, gift-card)"));
        }

        @Test
        void nestedEnum() {
            option("com.acme.Game.Types")
                    .beside("com/acme/Game.java", "package com.acme; class Game { enum Types { CHARACTER, ITEM } }")
                    .compile(FOUND);
        }

        @Test
        void fieldCreatedFromNames() {
            option("com.acme.Game.ORDER").beside("com/acme/Game.java", """
                            package com.acme;
                            import dev.interlock.lock.LockOrder;
                            class Game {
                              private static final String FIRST = "character";
                              static final LockOrder ORDER = LockOrder.of(FIRST, "item").closed();
                            }
                            """).compile(FOUND + """
                            void n() {
                              locks.run(LockKey.of("charakter", "1"), lease -> work()); \
                                  // BUG is not declared, and the order is closed
                            }
                            """);
        }

        @Test
        void fieldCreatedFromAnEnum() {
            option("com.acme.Game.ORDER").beside("com/acme/Game.java", """
                            package com.acme;
                            import dev.interlock.lock.LockOrder;
                            class Game {
                              enum Types { CHARACTER, ITEM }
                              static final LockOrder ORDER = LockOrder.of(Types.class);
                            }
                            """).compile(FOUND);
        }

        @Test
        void fieldCreatedFromTypes() {
            option("com.acme.Game.ORDER").beside("com/acme/Game.java", """
                            package com.acme;
                            import dev.interlock.lock.*;
                            import java.util.List;
                            class Game {
                              static final LockType ITEM = LockType.ranked("item", 20);
                              static final LockOrder ORDER =
                                  LockOrder.of(List.of(ITEM, LockType.ranked("character", 10), LockType.of("mailbox")));
                            }
                            """).compile(FOUND + """
                            void n(String id) {
                              locks.run(Game.ITEM.key(id), lease -> {
                                locks.run(LockKey.of("character", id), inner -> work()); // BUG Waits for "character:…"
                              });
                            }
                            """);
        }

        @Test
        void optionOverridesTheFile() {
            option("com.acme.Types")
                    .beside("com/acme/Types.java", "package com.acme; public enum Types { CHARACTER, ITEM }")
                    .compile("static final LockOrder OTHER = LockOrder.of(\"item\", \"character\");\n" + FOUND);
        }
    }

    @Nested
    class InvalidOption {
        private void refused(String option, String sentence, String members) {
            option(option)
                    .beside(
                            "com/acme/A.java",
                            "package com.acme;\nclass A { // BUG " + sentence + "\n  static int number = 1;\n" + members
                                    + "}")
                    .beside("com/acme/B.java", "package com.acme; class B {} // reported once, not per file")
                    .compile(SILENT);
        }

        @Test
        void noSuchType() {
            refused("com.acme.Nowhere", "there is no such type or field", "");
        }

        @Test
        void simpleNameOnly() {
            refused("Nowhere", "Name the enum of your lock types (com.acme.LockTypes)", "");
        }

        @Test
        void noSuchField() {
            refused("com.acme.A.ORDER", "com.acme.A has no field ORDER.", "");
        }

        @Test
        void typeThatIsNotAnEnum() {
            refused(
                    "com.acme.A",
                    "-XepOpt:Interlock:Order=com.acme.A cannot be used: it is a type, but not an enum.",
                    "");
        }

        @Test
        void enumWithoutConstants() {
            refused("com.acme.A.None", "the enum has no constants.", "enum None {}");
        }

        @Test
        void fieldOfAnotherType() {
            refused("com.acme.A.number", "the field is not a static final LockOrder.", "");
        }

        @Test
        void fieldWhoseValueIsKnownOnlyAtRunTime() {
            refused(
                    "com.acme.A.ORDER",
                    "so it is known only at run time.",
                    "static final dev.interlock.lock.LockOrder ORDER ="
                            + " dev.interlock.lock.LockOrder.of(System.getenv(\"X\"));");
        }

        @Test
        void fieldInAClassFile() {
            refused(
                    OrderSourceTest.class.getName() + ".COMPILED",
                    "the value of the field is not in the sources of this compilation.",
                    "");
        }

        @Test
        void orderThatIsInvalidAtRunTimeToo() {
            refused(
                    "com.acme.A.ORDER",
                    "it is not a valid order: Lock type \"item\" is declared twice",
                    "static final dev.interlock.lock.LockOrder ORDER = dev.interlock.lock.LockOrder.of(\"item\","
                            + " \"item\");");
        }
    }

    @Nested
    class WithoutTheOption {
        @Test
        void orderOfTheFile() {
            Snippet.checkedBy(InterlockLockOrder.class)
                    .compile("Object order() { return LockOrder.of(\"character\", \"item\"); }\n" + FOUND);
        }

        @Test
        void orderOfAnotherFileIsNotUsed() {
            Snippet.checkedBy(InterlockLockOrder.class)
                    .beside(
                            "com/acme/Game.java",
                            "package com.acme; class Game { Object o = dev.interlock.lock.LockOrder.of(\"character\","
                                    + " \"item\"); }")
                    .compile(SILENT);
        }

        @Test
        void severalOrdersCountAsNone() {
            Snippet.checkedBy(InterlockLockOrder.class)
                    .declaring(
                            "LockOrder one = LockOrder.of(\"character\", \"item\");",
                            "LockOrder two = LockOrder.of(\"item\", \"character\");")
                    .compile(SILENT);
        }

        @Test
        void orderKnownOnlyAtRunTime() {
            Snippet.checkedBy(InterlockLockOrder.class)
                    .declaring("LockOrder order(String first) { return LockOrder.of(first, \"item\"); }")
                    .compile(SILENT);
        }
    }

    @Test
    void enumConstantsAreNamedAsAtRunTime() {
        for (CompiledTypes each : CompiledTypes.values()) {
            assertThat(StaticNames.nameOf(each.name())).isEqualTo(LockType.nameOf(each));
        }
    }
}
