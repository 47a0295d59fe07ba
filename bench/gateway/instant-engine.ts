import { FakeSglang } from '../../src/gateway/backends/sglang/testing/fake-sglang';

/** An engine that samples as fast as it can, or one token per `process.argv[2]` ms. */
const pauseMs = Number(process.argv[2] ?? 0);

void FakeSglang.start({
  beforeToken: () => (pauseMs === 0 ? undefined : new Promise((resolve) => setTimeout(resolve, pauseMs))),
}).then((engine) => process.stdout.write(`${JSON.stringify({ url: engine.url })}\n`));
