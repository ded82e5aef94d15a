package dev.interlock.bench;

/**
 * Places labels beside a plot: each as close to its line as possible, without overlaps.
 *
 * <p>Labels that want the same place form a block around the average of their wishes. Blocks that touch are merged.
 */
final class LabelColumn {
    private LabelColumn() {}

    /**
     * Computes the positions of labels.
     *
     * @param wanted the wanted positions, from the top down
     * @param gap the smallest distance between two labels
     * @param bottom the last position; the first one is 0
     */
    static double[] place(double[] wanted, double gap, double bottom) {
        int[] sizes = new int[wanted.length];
        double[] sums = new double[wanted.length];
        int blocks = 0;
        for (int i = 0; i < wanted.length; i++) {
            // Without the gaps, a label may be level with the previous one but not above it.
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
