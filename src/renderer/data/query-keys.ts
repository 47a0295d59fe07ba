/** First two parts of every query key; events and mutations invalidate by these. */
export const queryKeys = {
  /** everything read from the gateway */
  gateway: ['gateway'],
  status: ['gateway', 'status'],
  receipts: ['gateway', 'receipts'],
  sessions: ['gateway', 'sessions'],
  /** + session id */
  session: ['gateway', 'session'],
  /** + interaction id */
  interaction: ['gateway', 'interaction'],
  versions: ['gateway', 'versions'],
  metrics: ['gateway', 'metrics'],
  /** + file id … : files, rows and statistics of dumps */
  trajectories: ['gateway', 'trajectories'],
  /** everything read from the desktop */
  settings: ['desktop', 'settings'],
  processes: ['desktop', 'processes'],
  appInfo: ['desktop', 'app-info'],
  drafts: ['desktop', 'drafts'],
  address: ['desktop', 'address'],
} as const satisfies Record<string, readonly string[]>;
