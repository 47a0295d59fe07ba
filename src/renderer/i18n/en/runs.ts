export const runs = {
  failed: (message: string) => `This could not be read: ${message}`,
  again: 'Try again',
  waiting: 'Reading…',

  processStates: {
    stopped: 'stopped',
    starting: 'starting',
    ready: 'running',
    stopping: 'stopping',
    failed: 'failed',
  },
  facts: {
    process: 'Process',
    since: 'since',
    restarts: 'Restarts',
    model: 'Model',
    engine: 'Engine',
    running: 'Answers running',
    served: 'Serving',
    trained: 'Trained',
  },
  pid: (pid: string) => `pid ${pid}`,
  restart: 'Restart',
  restarting: 'Restarting…',
  restartFailed: (message: string) => `It could not be restarted: ${message}`,
  noProcess: 'Not started by this studio',

  engine: {
    title: 'Engine',
    states: {
      waiting: 'waiting for the engine',
      serving: 'serving',
      updating: 'loading new weights',
      failed: 'failed',
    },
  },
  demoModel: (name: string, parameters: string) => `${name}, a demo model with ${parameters} parameters`,
  model: (name: string, parameters: string) => `${name}, ${parameters} parameters`,
  nothingServed: 'nothing yet',
  seed: 'v0 (the seed weights)',
  behind: (versions: string) =>
    versions === '1' ? 'One trained version is not served yet.' : `${versions} trained versions are not served yet.`,

  trainer: {
    title: 'Trainer',
    states: { off: 'off', idle: 'waiting for a batch', training: 'training' },
    batch: (batch: string) => `batch ${batch}`,
    phases: {
      load: 'reading the batch',
      reference: 'reference log-probabilities',
      train: 'forward and backward',
      optimizer: 'optimizer step',
      save: 'writing the weights',
    } as Readonly<Record<string, string>>,
    progress: 'Progress of this batch',
  },

  batch: {
    title: 'Next batch',
    filled: (filled: string, size: string) => `${filled} of ${size} trajectories`,
    name: (id: string) => `batch ${id}`,
    open: (count: string) =>
      count === '1'
        ? '1 more is rated, but its session is still open.'
        : `${count} more are rated, but their sessions are still open.`,
    full: 'Full: it goes to the trainer as soon as the trainer is free.',
    goRate: 'Rate answers',
  },

  setAside: {
    title: 'Set aside',
    batch: (id: string, ratings: string) => `Batch ${id}, ${ratings} ${ratings === '1' ? 'rating' : 'ratings'}:`,
    help: 'Nothing of it was trained. Tried again, its ratings wait for the next batch; left, they stay untrained.',
    retry: 'Try again',
    dismiss: 'Leave',
    failed: (message: string) => `Not done: ${message}`,
  },

  alarms: {
    title: 'Alarms',
    none: 'No alarm at the last reported batch.',
    at: (batch: string) => `batch ${batch}`,
    'behave-kl': (value: string, limit: string) =>
      `KL to the policies that sampled is ${value} (limit ${limit}): the weights have moved far since then, and answers too far off were left out. Lower the learning rate, or rate less at once.`,
    ess: (value: string, limit: string) =>
      `Effective sample share is ${value} (limit ${limit}): a few tokens carry the update. Lower the staleness or the learning rate.`,
    clipped: (value: string, limit: string) =>
      `Clipped and filtered tokens are ${value} of all (limit ${limit}): steps are too large for the data. Lower the learning rate.`,
    'reference-kl': (value: string, limit: string) =>
      `KL to the reference weights is ${value} (limit ${limit}): the policy has moved far from where it began. Raise the KL coefficient.`,
    'entropy-halved': (value: string, limit: string) =>
      `Entropy is ${value}, less than half of ${limit} within ten batches: answers are becoming all alike. Raise the temperature or the KL coefficient.`,
    'length-doubled': (value: string, limit: string) =>
      `Answers are ${value} tokens long on average, twice the ${limit} of within ten batches: look whether length is being rewarded.`,
    truncated: (value: string, limit: string) =>
      `Cut answers are ${value} of all (limit ${limit}): raise the longest answer in Settings.`,
    'ratings-equal': (value: string, limit: string) =>
      `All ratings of the last ${limit} batches were ${value}: they carry no signal.`,
    staleness: (value: string, limit: string) =>
      `95 % of the trajectories are up to ${value} versions old (limit ${limit}): older tokens are masked. Rate sooner, or smaller batches.`,
  },

  metrics: {
    title: 'Metrics per batch',
    empty: 'No batch has been trained yet. Metrics appear after the first one.',
    raw: 'Thin: each batch. Thick: smoothed (exponential, bias-corrected).',
    gaps: (batches: string) => `No finite value at batch ${batches}.`,
    missing: (names: string) => `Not reported by this trainer: ${names}.`,
    x: 'batch',
    open: 'Click or Enter: open the live dump in Trajectories',
    smoothed: 'smoothed',
    status: 'status',
    panels: {
      reward: { title: 'Mean reward of each batch', unit: 'reward' },
      'reference-kl': { title: 'KL divergence to the reference weights (k3)', unit: 'nats per token' },
      'behave-kl': {
        title: 'KL divergence from the policy that sampled to the weights in training (k3)',
        unit: 'nats per token',
      },
      mismatch: {
        title: 'Engine against trainer, same weights: largest difference of a log-probability',
        unit: 'nats',
      },
      step: { title: 'How far one batch moved the log-probabilities of its tokens', unit: 'nats' },
      entropy: { title: 'Entropy of the policy', unit: 'nats per token' },
      clip: { title: 'Share of tokens clipped or filtered', unit: 'share of tokens' },
      gradient: { title: 'Norm of the gradient before clipping', unit: 'L2 norm' },
      staleness: { title: 'Age of the trajectories when trained on', unit: 'versions' },
      ess: { title: 'Effective sample share of the importance weights', unit: 'share' },
      loss: { title: 'Parts of the loss', unit: 'loss' },
      time: { title: 'Time spent on each batch', unit: 'seconds' },
    },
    series: {
      'reward/mean': 'mean',
      'kl/ref': 'k3',
      'kl/behave_k3': 'k3',
      'logratio/fresh_max': 'max',
      'logratio/step_p99': '99 %',
      'logratio/step_max': 'max',
      'policy/entropy': 'entropy',
      'clip/clip_ratio': 'clipped',
      'clip/dual_clip_ratio': 'dual-clipped',
      'clip/rs_filtered_fraction': 'filtered',
      'optim/grad_norm': 'norm',
      'version/staleness_mean': 'mean',
      'version/staleness_p95': '95 %',
      'version/staleness_max': 'max',
      'ratio/ess': 'share',
      'loss/actor': 'policy',
      'loss/kl': 'KL',
      'time/total': 'whole batch',
      'time/forward_backward': 'forward and backward',
      'time/logp': 'reference',
    } as Readonly<Record<string, string>>,
  },

  versions: {
    title: 'Versions',
    empty: 'Only the seed weights exist. A version appears with each trained batch.',
    version: 'Version',
    batch: 'Batch',
    trainedAt: 'Trained',
    servedAt: 'Served',
    trajectories: 'Trajectories',
    reward: 'Mean reward',
    seed: 'seed',
    notServed: 'not yet',
    servedNow: 'serving',
    open: 'Open the rows sampled by this version',
  },

  logs: {
    title: 'Logs',
    engine: 'Engine',
    trainer: 'Trainer',
    empty: 'Nothing logged yet.',
    follow: 'Follow',
    everyLine: 'Repeated settings too',
    copy: 'Copy',
    copied: 'Copied',
    folder: 'Show log folder',
    lines: (count: string) => `last ${count} lines`,
  },
};
