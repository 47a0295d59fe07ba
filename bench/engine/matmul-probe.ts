import type { LlamaConfig } from '../../src/embedded/model/llama-config';
import { linear } from '../../src/embedded/model/llama-layers';
import { jit, np, type Tensor } from '../../src/embedded/model/tensor-runtime';

/**
 * The matrix products of one decode step and nothing else: per layer q, k, v, o, gate, up and down, then the output head. What
 * this machine could do if everything but the products were free. They are independent of each other on purpose: chained, the
 * compiler fuses one into the next and computes it again for every output.
 */
export function matmulProbe(config: LlamaConfig, rows: number): { step: () => Promise<void> } {
  const { hiddenSize: d, intermediateSize: f, vocabSize } = config;
  const filled = (out: number, into: number) =>
    np.array(Float32Array.from({ length: out * into }, (_, i) => Math.sin(i) * 0.05)).reshape([out, into]);
  const shapes = [...new Array(4).fill([d, d]), [f, d], [f, d], [d, f]] as [number, number][];
  const layers = Array.from({ length: config.layers }, () => shapes).flat();
  const weights = [...layers, [vocabSize, d] as [number, number]].map(([out, into]) => filled(out, into));
  const narrow = filled(rows, d);
  const wide = filled(rows, f);
  const run = jit((x: Tensor, y: Tensor, all: Tensor[]) => {
    const products = all.map((weight) => linear((weight.shape[1] === f ? y : x).ref, weight));
    x.dispose();
    y.dispose();
    return products;
  });
  return {
    step: async () => {
      const products = run(
        narrow.ref,
        wide.ref,
        weights.map((weight) => weight.ref),
      ) as Tensor[];
      await Promise.all(products.map((product) => product.data()));
    },
  };
}
