import type { groups as en } from '../en/groups';

const trajectories = (count: string): string => `${count} 条轨迹`;

export const groups: typeof en = {
  source: '数据源',
  live: '实时 dump',
  backToLive: '回到实时 dump',
  waiting: '正在计算统计量…',
  failed: (message) => `无法读取统计量：${message}`,
  again: '重试',
  emptyTitle: '还没有已评审的轨迹',
  emptySource: '此数据源中没有带奖励的轨迹',
  emptySourceBody: '奖励、分组与陈旧度统计都需要奖励。请选择其他数据源。',
  emptyLiveBody: (size, filled) =>
    `批次凑满后，这里会显示奖励、分组与陈旧度统计：现有 ${filled}/${size} 条已评审的回答。`,
  goRate: '去评审回答',
  goSample: '打开示例 dump',
  openFailed: (message) => `无法打开：${message}`,

  counts: {
    mean: (mean, std) => (std === null ? `奖励 ${mean}` : `奖励 ${mean} ± ${std}`),
    groups: (count) => `${count} 个分组`,
    singletons: (count) => `${count} 个单成员组`,
    allEqual: (count) => `${count} 个奖励全同组`,
    mixed: (count) => `${count} 条跨版本`,
  },
  hints: {
    singletons: {
      none: '只有一个成员：本次运行的分组基线没有可比较的对象。',
      'by-batch': '只有一个成员。本次运行用批次基线，与同批的其他回答比较。',
      unknown: '只有一个成员：若训练时用分组基线则没有信号，用批次基线则有。',
    },
    allEqual: {
      none: '组内奖励全部相同：在本次运行的分组基线下优势为零。',
      'by-batch': '组内奖励全部相同。本次运行用批次基线，与同批的其余回答比较。',
      unknown: '组内奖励全部相同：若训练时用分组基线则没有信号，用批次基线则有。',
    },
    mixed: '采样过程中版本发生了变化。',
  },

  chart: {
    menu: '保存此图',
    png: '保存为 PNG',
    svg: '保存为 SVG',
    csv: '将数值保存为 CSV',
    failed: (message) => `无法保存此图：${message}`,
  },
  openRows: '点击：在“轨迹”中打开这些行',
  mean: '均值',
  std: '标准差',
  lowest: '最低',
  highest: '最高',
  count: '轨迹数',

  byVersion: {
    title: '各版本轨迹的平均奖励',
    band: '色带：奖励 ± 一个标准差（n − 1）；只有一条轨迹的版本没有色带。',
    unknown: (count) => `${trajectories(count)}版本未知，未画出。`,
    x: '起始版本',
    y: '奖励',
    version: (version) => `v${version}`,
    columns: ['version', 'trajectories', 'reward_mean', 'reward_std', 'reward_min', 'reward_max'],
  },
  perGroup: {
    title: '各分组成员的奖励',
    x: '分组，由大到小',
    y: '奖励',
    group: (id) => `分组 ${id}`,
    members: '成员数',
    legendMember: '成员',
    legendMean: '组均值',
    legendSingleton: {
      none: '单成员组：本次运行的分组基线下没有信号',
      'by-batch': '单成员组：与同批的其他回答比较',
      unknown: '单成员组：若用分组基线训练则没有信号',
    },
    legendEqual: {
      none: '奖励全同：本次运行的分组基线下没有信号',
      'by-batch': '奖励全同：与同批的其余回答比较',
      unknown: '奖励全同：若用分组基线训练则没有信号',
    },
    partial: '只画出每组最低与最高的成员；此数据源没有列出中间的成员。',
    capped: (shown, total) => `共 ${total} 个分组，显示最大的 ${shown} 个。`,
    columns: ['group', 'head_version', 'members', 'reward_mean', 'reward_std', 'reward_min', 'reward_max', 'state'],
    states: { mixed: 'mixed', singleton: 'singleton', equal: 'all-equal' },
  },
  histogram: {
    title: '各奖励值出现的次数',
    x: '奖励',
    y: '轨迹数',
    bucket: (from, to) => (from === to ? from : `${from} 到 ${to}`),
    columns: ['from', 'to', 'trajectories'],
  },
  staleness: {
    title: '轨迹被训练时落后了几个版本',
    x: '陈旧度（版本）',
    y: '轨迹数',
    value: (versions) => `落后 ${versions} 个版本`,
    unknown: '此数据源中没有已知被训练过的轨迹，因此陈旧度未知。',
    columns: ['staleness', 'trajectories'],
  },
};
