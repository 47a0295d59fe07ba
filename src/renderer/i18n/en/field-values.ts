/** Values that records carry as words of the programs, as a person reads them; any other value stands as it is. */
export const fieldValues = {
  finish: { stop: 'stop', length: 'length', abort: 'abort', tool_calls: 'tool calls' },
  source: { human: 'human', agent: 'agent', import: 'import' },
  engine: { embedded: 'embedded' },
};
