import type { fieldValues as en } from '../en/field-values';

export const fieldValues: typeof en = {
  finish: { stop: '正常结束', length: '达到长度上限', abort: '已中止', tool_calls: '工具调用' },
  source: { human: '人工', agent: '智能体', import: '导入' },
  engine: { embedded: '内置引擎' },
};
