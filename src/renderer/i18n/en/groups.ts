const trajectories = (count: string): string => (count === '1' ? '1 trajectory' : `${count} trajectories`);

export const groups = {
  source: 'Source',
  live: 'Live dump',
  backToLive: 'Back to the live dump',
  waiting: 'Computing the statistics…',
  failed: (message: string) => `The statistics could not be read: ${message}`,
  again: 'Try again',
  emptyTitle: 'No rated trajectory yet',
  emptySource: 'No row of this source has a reward',
  emptySourceBody: 'Reward, group and staleness statistics need rewards. Choose another source.',
  emptyLiveBody: (size: string, filled: string) =>
    `Reward, group and staleness statistics appear here when a batch is full: ${filled} of ${size} rated answers are ready.`,
  goRate: 'Rate answers',
  goSample: 'Open the sample dump',
  openFailed: (message: string) => `Could not open it: ${message}`,

  counts: {
    mean: (mean: string, std: string | null) => (std === null ? `reward ${mean}` : `reward ${mean} ± ${std}`),
    groups: (count: string) => (count === '1' ? '1 group' : `${count} groups`),
    singletons: (count: string) => (count === '1' ? '1 group of one' : `${count} groups of one`),
    allEqual: (count: string) => `${count} all-equal`,
    mixed: (count: string) => `${count} of mixed version`,
  },
  hints: {
    singletons: {
      none: 'One member only: the group baseline of this run has nothing to compare it with.',
      'by-batch': 'One member only. The batch baseline of this run compares it with the other answers of its batch.',
      unknown: 'One member only: trained with a group baseline it gave no signal, with a batch baseline it did.',
    },
    allEqual: {
      none: 'All rewards of the group are equal: under the group baseline of this run its advantage is zero.',
      'by-batch':
        'All rewards of the group are equal. The batch baseline of this run compares them with the rest of their batch.',
      unknown:
        'All rewards of the group are equal: trained with a group baseline it gave no signal, with a batch baseline it did.',
    },
    mixed: 'The version changed while the answer was being sampled.',
  },

  chart: {
    menu: 'Save this chart',
    png: 'Save as PNG',
    svg: 'Save as SVG',
    csv: 'Save the numbers as CSV',
    failed: (message: string) => `The chart could not be saved: ${message}`,
  },
  openRows: 'Click: open the rows in Trajectories',
  mean: 'mean',
  std: 'standard deviation',
  lowest: 'lowest',
  highest: 'highest',
  count: 'trajectories',

  byVersion: {
    title: 'Mean reward of the trajectories of each version',
    band: 'Band: ± one standard deviation of the rewards (n − 1); none where a version has one trajectory.',
    unknown: (count: string) => `${trajectories(count)} of unknown version not drawn.`,
    x: 'head version',
    y: 'reward',
    version: (version: string) => `v${version}`,
    columns: ['version', 'trajectories', 'reward_mean', 'reward_std', 'reward_min', 'reward_max'],
  },
  perGroup: {
    title: 'Rewards of the members of each group',
    x: 'groups, largest first',
    y: 'reward',
    group: (id: string) => `group ${id}`,
    members: 'members',
    legendMember: 'member',
    legendMean: 'group mean',
    legendSingleton: {
      none: 'group of one: no signal under this run’s group baseline',
      'by-batch': 'group of one: compared with its batch',
      unknown: 'group of one: no signal if trained with a group baseline',
    },
    legendEqual: {
      none: 'all equal: no signal under this run’s group baseline',
      'by-batch': 'all equal: compared with their batch',
      unknown: 'all equal: no signal if trained with a group baseline',
    },
    partial: 'Lowest and highest member of each group are drawn; the ones between are not listed by this source.',
    capped: (shown: string, total: string) => `The ${shown} largest of ${total} groups.`,
    columns: ['group', 'head_version', 'members', 'reward_mean', 'reward_std', 'reward_min', 'reward_max', 'state'],
    states: { mixed: 'mixed', singleton: 'singleton', equal: 'all-equal' },
  },
  histogram: {
    title: 'How often each reward was given',
    x: 'reward',
    y: 'trajectories',
    bucket: (from: string, to: string) => (from === to ? from : `${from} to ${to}`),
    columns: ['from', 'to', 'trajectories'],
  },
  staleness: {
    title: 'How many versions old the trajectories were when trained on',
    x: 'staleness, versions',
    y: 'trajectories',
    value: (versions: string) => (versions === '1' ? '1 version old' : `${versions} versions old`),
    unknown: 'Nothing of this source is known to have been trained on, so its staleness is unknown.',
    columns: ['staleness', 'trajectories'],
  },
};
