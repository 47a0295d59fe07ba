export type MenuLanguage = 'en' | 'zh';

const EN = {
  file: 'File',
  quit: 'Quit',
  edit: 'Edit',
  undo: 'Undo',
  redo: 'Redo',
  cut: 'Cut',
  copy: 'Copy',
  paste: 'Paste',
  selectAll: 'Select all',
  view: 'View',
  reload: 'Reload',
  zoomIn: 'Larger',
  zoomOut: 'Smaller',
  actualSize: 'Actual size',
  fullScreen: 'Full screen',
  developerTools: 'Developer tools',
  window: 'Window',
  minimize: 'Minimize',
  close: 'Close',
} as const;

export type MenuText = Readonly<Record<keyof typeof EN, string>>;

const ZH: MenuText = {
  file: '文件',
  quit: '退出',
  edit: '编辑',
  undo: '撤销',
  redo: '重做',
  cut: '剪切',
  copy: '复制',
  paste: '粘贴',
  selectAll: '全选',
  view: '视图',
  reload: '重新加载',
  zoomIn: '放大',
  zoomOut: '缩小',
  actualSize: '实际大小',
  fullScreen: '全屏',
  developerTools: '开发者工具',
  window: '窗口',
  minimize: '最小化',
  close: '关闭',
};

export const MENU_TEXT: Readonly<Record<MenuLanguage, MenuText>> = { en: EN, zh: ZH };

/** The language of the first preferred system language that we speak; English when there is none. */
export function pickLanguage(preferred: readonly string[]): MenuLanguage {
  for (const tag of preferred) {
    if (/^zh\b/i.test(tag)) return 'zh';
    if (/^en\b/i.test(tag)) return 'en';
  }
  return 'en';
}
