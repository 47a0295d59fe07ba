import { type Algorithm, TRAINER_EXIT } from '../../shared/wire/trainer';
import { type AdamWState, addGradients, makeAdamW, zeroState } from '../model/adamw';
import type { HostParams } from '../model/checkpoint';
import type { LlamaConfig } from '../model/llama-config';
import { disposeParams, toDevice, toHost } from '../model/llama-forward';
import { makeTokenLogprobs } from '../model/log-probs';
import { gradientNorm, makePolicyGradient, type PolicyGradientOf, type PolicyRows } from '../model/policy-loss';
import type { DeviceParams } from '../model/tensor-runtime';
import { type DriftVerdict, hasOldTokens, judgeDrift } from './drift-guard';
import { GradientGuard } from './gradient-guard';
import { type Microbatch, rowsPerPass } from './microbatches';
import { TrainerFailure } from './trainer-failure';

/** Steps over which the learning rate rises: Adam's first steps have the full size of the rate whatever the gradient. */
const WARM_UP_STEPS = 5;

export interface TrainingMoments {
  readonly step: number;
  readonly m: HostParams;
  readonly v: HostParams;
  /** gradient norms of the last steps, oldest first */
  readonly norms: readonly number[];
}

/** What was measured at each token in the last pass, per microbatch, B × T like its inputs. */
export interface PassRecord {
  readonly part: Microbatch;
  readonly reference: Float32Array;
  readonly proximal: Float32Array;
  readonly logprobs: Float32Array;
  readonly entropy: Float32Array;
}

export interface StepReport {
  readonly outcome: 'trained' | 'skipped' | 'too_stale' | 'no_signal';
  /** what the drift of the weights left out */
  readonly drift: DriftVerdict;
  readonly passes: readonly PassRecord[];
  readonly gradientNorm: number;
  readonly learningRate: number;
  readonly skippedSteps: number;
  readonly seconds: { readonly reference: number; readonly forwardBackward: number; readonly optimizer: number };
}

export interface StepHooks {
  /** called between passes; may throw to abandon the batch */
  breathe(phase: string, fraction: number): Promise<void>;
  /** seconds, monotonic */
  now(): number;
}

/** The weights in training, their frozen reference and the optimizer, on the tensor side, for the life of the process. */
export class PolicyOptimizer {
  readonly #config: LlamaConfig;
  readonly #reference: DeviceParams;
  readonly #logprobsOf;
  readonly #gradientOf = new Map<Algorithm['behave_weight'], PolicyGradientOf>();
  readonly #adamw = makeAdamW();
  #params: DeviceParams;
  #state: AdamWState;
  #guard: GradientGuard;
  #isOptimizerWarm = false;

  constructor(config: LlamaConfig, seed: HostParams, weights: HostParams, moments: TrainingMoments | null) {
    this.#config = config;
    this.#reference = toDevice(config, seed);
    this.#logprobsOf = makeTokenLogprobs(config);
    this.#params = toDevice(config, weights);
    this.#state =
      moments === null
        ? zeroState(config)
        : { step: moments.step, m: toDevice(config, moments.m), v: toDevice(config, moments.v) };
    this.#guard = new GradientGuard(moments?.norms);
  }

  /** One batch: `epochs` optimizer steps, each over all microbatches. Throws exit 14 when the gradients stay broken. */
  async train(parts: readonly Microbatch[], algorithm: Algorithm, hooks: StepHooks): Promise<StepReport> {
    const seconds = { reference: 0, forwardBackward: 0, optimizer: 0 };
    let mark = hooks.now();
    const lap = (phase: keyof typeof seconds) => {
      const now = hooks.now();
      seconds[phase] += now - mark;
      mark = now;
    };
    const references = await this.#logprobs(this.#reference, parts, hooks);
    lap('reference');
    const first = await this.#firstPass(parts, references, algorithm, hooks);
    const { drift } = first;
    const report = { outcome: first.outcome, drift, passes: [] as readonly PassRecord[], gradientNorm: 0 };
    if (first.pass === null) {
      lap('forwardBackward');
      return { ...report, outcome: first.outcome, learningRate: 0, skippedSteps: 0, seconds };
    }
    let pass = first.pass;
    const proximals = pass.passes.map((record) => record.logprobs);
    const steps = { norm: 0, learningRate: 0, skipped: 0 };
    for (let epoch = 0; epoch < algorithm.epochs; epoch++) {
      if (epoch > 0) pass = await this.#pass(drift.parts, references, proximals, { algorithm, epoch, hooks });
      lap('forwardBackward');
      await hooks.breathe('optimizer', epoch / algorithm.epochs);
      steps.norm = await gradientNorm(pass.gradients);
      steps.learningRate = algorithm.learning_rate * Math.min(1, (this.#state.step + 1) / WARM_UP_STEPS);
      if (!(await this.#step(pass.gradients, steps.norm, steps.learningRate, algorithm.grad_clip))) steps.skipped += 1;
      lap('optimizer');
    }
    return {
      ...report,
      outcome: steps.skipped < algorithm.epochs ? 'trained' : 'skipped',
      passes: pass.passes,
      gradientNorm: steps.norm,
      learningRate: steps.learningRate,
      skippedSteps: steps.skipped,
      seconds,
    };
  }

  /** Compiles the kernels of one length ahead of the first batch that needs them. Changes nothing. */
  async warmUp(length: number, behaveWeight: Algorithm['behave_weight']): Promise<void> {
    const passRows = rowsPerPass(length);
    const size = passRows * length;
    const zeros = () => new Float32Array(size);
    const rows: PolicyRows = {
      rows: passRows,
      length,
      ids: new Int32Array(size),
      targets: new Int32Array(size),
      temperatures: new Float32Array(passRows).fill(1),
      weights: zeros(),
      advantages: zeros(),
      behave: zeros(),
      reference: zeros(),
      proximal: null,
    };
    await this.#logprobsOf(this.#reference, rows);
    const numbers = { clipLow: 0.2, clipHigh: 0.28, dualClip: 3, behaveCap: 5, klBeta: 0 };
    const { gradients } = await this.#gradientFor(behaveWeight)(this.#params, rows, numbers);
    await gradientNorm(gradients);
    if (this.#isOptimizerWarm) return disposeParams(gradients);
    this.#isOptimizerWarm = true;
    const copies = { ...zeroState(this.#config), params: toDevice(this.#config, await toHost(this.#reference)) };
    const result = this.#adamw(copies.params, gradients, copies, { learningRate: 0 });
    result.gradientNorm.dispose();
    for (const map of [result.params, result.state.m, result.state.v]) disposeParams(map);
  }

  weights(): Promise<HostParams> {
    return toHost(this.#params);
  }

  async moments(): Promise<TrainingMoments> {
    const [m, v] = [await toHost(this.#state.m), await toHost(this.#state.v)];
    return { step: this.#state.step, m, v, norms: [...this.#guard.norms] };
  }

  /** The first pass over what the drift guard leaves; no pass when it leaves nothing to train. */
  async #firstPass(
    parts: readonly Microbatch[],
    references: readonly Float32Array[],
    algorithm: Algorithm,
    hooks: StepHooks,
  ): Promise<FirstPass> {
    const limit = algorithm.drift_limit;
    const passOver = (kept: readonly Microbatch[]) =>
      this.#pass(kept, references, null, { algorithm, epoch: 0, hooks });
    // Only old tokens drift. A fresh batch is judged by its first pass, which then counts: that costs it nothing more.
    const fresh = hasOldTokens(parts) ? null : await passOver(parts);
    const proximals = fresh?.passes.map(({ logprobs }) => logprobs);
    const drift = judgeDrift(parts, proximals ?? (await this.#logprobs(this.#params, parts, hooks)), limit);
    if (fresh !== null && drift.maskedTokens === 0) return { outcome: 'trained', drift, pass: fresh };
    if (fresh !== null) disposeParams(fresh.gradients);
    const outcome = fateOf(drift);
    return outcome === 'trained'
      ? { outcome, drift, pass: await passOver(drift.parts) }
      : { outcome, drift, pass: null };
  }

  async #logprobs(params: DeviceParams, parts: readonly Microbatch[], hooks: StepHooks): Promise<Float32Array[]> {
    const logprobs: Float32Array[] = [];
    for (const [i, part] of parts.entries()) {
      await hooks.breathe('reference', i / parts.length);
      logprobs.push(await this.#logprobsOf(params, part.inputs));
    }
    return logprobs;
  }

  async #pass(
    parts: readonly Microbatch[],
    references: readonly Float32Array[],
    proximals: readonly Float32Array[] | null,
    { algorithm, epoch, hooks }: { algorithm: Algorithm; epoch: number; hooks: StepHooks },
  ): Promise<Pass> {
    const numbers = {
      clipLow: algorithm.clip_low,
      clipHigh: algorithm.clip_high,
      dualClip: algorithm.dual_clip,
      behaveCap: algorithm.behave_cap,
      klBeta: algorithm.kl_beta,
    };
    const gradientOf = this.#gradientFor(algorithm.behave_weight);
    const passes: PassRecord[] = [];
    let sum: DeviceParams | null = null;
    for (const [i, part] of parts.entries()) {
      await hooks.breathe('train', (epoch + i / parts.length) / algorithm.epochs);
      const reference = references[i] ?? new Float32Array(part.inputs.ids.length);
      const proximal = proximals?.[i] ?? null;
      const result = await gradientOf(this.#params, { ...part.inputs, reference, proximal }, numbers);
      sum = sum === null ? result.gradients : addGradients(sum, result.gradients);
      const { logprobs, entropy } = result;
      passes.push({ part, reference, proximal: proximal ?? logprobs, logprobs, entropy });
    }
    if (sum === null) throw new Error('a batch without rows reached the optimizer');
    return { passes, gradients: sum };
  }

  async #step(gradients: DeviceParams, norm: number, learningRate: number, gradientClip: number): Promise<boolean> {
    const verdict = this.#guard.judge(norm);
    if (verdict !== 'step') {
      disposeParams(gradients);
      if (verdict === 'skip') return false;
      throw new TrainerFailure(`The gradient broke three times in a row (norm ${norm}); lower the learning rate`, {
        exitCode: TRAINER_EXIT.divergence,
        code: 'divergence',
      });
    }
    this.#isOptimizerWarm = true;
    const result = this.#adamw(this.#params, gradients, this.#state, { learningRate, gradientClip });
    this.#params = result.params;
    this.#state = result.state;
    await result.gradientNorm.data();
    return true;
  }

  #gradientFor(behaveWeight: Algorithm['behave_weight']): PolicyGradientOf {
    const known = this.#gradientOf.get(behaveWeight);
    if (known !== undefined) return known;
    const made = makePolicyGradient(this.#config, behaveWeight);
    this.#gradientOf.set(behaveWeight, made);
    return made;
  }
}

type FirstPass =
  | { readonly outcome: 'trained'; readonly drift: DriftVerdict; readonly pass: Pass }
  | { readonly outcome: 'too_stale' | 'no_signal'; readonly drift: DriftVerdict; readonly pass: null };

interface Pass {
  readonly passes: readonly PassRecord[];
  readonly gradients: DeviceParams;
}

function fateOf(drift: DriftVerdict): FirstPass['outcome'] {
  if (drift.isExhausted) return 'too_stale';
  const speaks = drift.parts.some(({ inputs }) =>
    inputs.weights.some((weight, at) => weight !== 0 && inputs.advantages[at] !== 0),
  );
  return speaks ? 'trained' : 'no_signal';
}
