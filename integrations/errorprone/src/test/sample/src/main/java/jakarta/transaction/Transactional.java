package jakarta.transaction;

/** Replaces the annotation of Jakarta, so that this project needs only Interlock. */
public @interface Transactional {}
