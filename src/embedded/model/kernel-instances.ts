/** The little of WebAssembly's interface that is used here: the compiler knows it only together with the web page's globals. */
interface WasmGlobal {
  Instance: new (module: object, imports?: Readonly<Record<string, Readonly<Record<string, unknown>>>>) => object;
}

/**
 * Lets one instance of a compiled kernel serve all its calls.
 *
 * The tensor library instantiates a kernel's module anew at every call, which takes a fifth of a decode step of one row and leaves
 * as much garbage behind. Its kernels have no state: functions that import the library's one memory and nothing else. A module
 * with other imports is instantiated as ever.
 */
export function reuseKernelInstances(wasm: WasmGlobal): void {
  const known = new WeakMap<object, { readonly memory: unknown; readonly instance: object }>();
  wasm.Instance = new Proxy(wasm.Instance, {
    construct(plain, [module, imports]: ConstructorParameters<WasmGlobal['Instance']>) {
      const memory = onlyMemory(imports);
      if (memory === null) return new plain(module, imports);
      const before = known.get(module);
      if (before !== undefined && before.memory === memory) return before.instance;
      const instance = new plain(module, imports);
      known.set(module, { memory, instance });
      return instance;
    },
  });
}

/** The memory of `{ env: { memory } }`, null when anything else is imported. */
function onlyMemory(imports: object | undefined): unknown {
  const [[name, env] = [], ...others] = Object.entries(imports ?? {});
  if (name !== 'env' || others.length > 0) return null;
  const [[field, memory] = [], ...more] = Object.entries((env ?? {}) as object);
  return field === 'memory' && more.length === 0 ? memory : null;
}
