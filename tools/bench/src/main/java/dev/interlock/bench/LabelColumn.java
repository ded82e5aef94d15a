package dev.interlock.bench;

/**
 * Where labels beside a plot go: each as near to its line as it can be while none covers another.
 *
 * <p>Labels that want the same place form a block around what its members want on average; a block that reaches another becomes one with
 * it.
 */
final class LabelColumn {
    private LabelColumn() {}

    /**
     * Places for labels.
     *
     * @param wanted where they want to be, from the top down
     * @param gap from one to the next at least
     * @param bottom the last place there is; the first is 0
     */
    static double[] place(double[] wanted, double gap, double bottom) {
        int[] sizes = new int[wanted.length];
        double[] sums = new double[wanted.length];
        int blocks = 0;
        for (int i = 0; i < wanted.length; i++) {
            // Without the gaps a label may be level with the one before, but not above it.
            sums[blocks] = wanted[i] - i * gap;
            sizes[blocks] = 1;
            blocks++;
            while (blocks > 1 && sums[blocks - 1] / sizes[blocks - 1] < sums[blocks - 2] / sizes[blocks - 2]) {
                blocks--;
                sums[blocks - 1] += sums[blocks];
                sizes[blocks - 1] += sizes[blocks];
            }
        }
        double[] places = new double[wanted.length];
        double room = Math.max(0, bottom - (wanted.length - 1) * gap);
        int label = 0;
        for (int block = 0; block < blocks; block++) {
            double top = Math.max(0, Math.min(room, sums[block] / sizes[block]));
            for (int i = 0; i < sizes[block]; i++) {
                places[label] = top + label * gap;
                label++;
            }
        }
        return places;
    }
}
