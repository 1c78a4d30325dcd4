/** The seed of random input in tests: the environment variable PIXGRAPH_SEED, or 1. Runs by hand have new seeds. */
export const seed = Number(process.env.PIXGRAPH_SEED ?? 1);
