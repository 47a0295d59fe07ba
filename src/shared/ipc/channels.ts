/** Request channels, renderer → main. Names only: the preload derives its allow-list from this file. */
export const IPC_CHANNELS = [
  'gateway-address',
  'processes-list',
  'process-restart',
  'process-log',
  'trajectories-open',
  'path-show',
  'settings-read',
  'settings-write',
  'app-info',
  'drafts-read',
  'drafts-write',
] as const;
export type IpcChannel = (typeof IPC_CHANNELS)[number];

/** Events, main → renderer. */
export const IPC_EVENTS = ['process-change', 'studio-trouble', 'settings-change'] as const;
export type IpcEvent = (typeof IPC_EVENTS)[number];
