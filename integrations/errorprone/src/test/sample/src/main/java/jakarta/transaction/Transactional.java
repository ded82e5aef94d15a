package jakarta.transaction;

/** Stands in for the annotation of Jakarta, so that this project needs nothing but Interlock. */
public @interface Transactional {}
