/**
 * What the tensor library expects of a newer JavaScript: iterator helpers and the copying array methods are
 * absent from Node 18 (Electron 25) and partly from Node 20. Imported first by tensor-runtime, never elsewhere.
 */
import 'core-js/actual/array/find-last.js';
import 'core-js/actual/array/from-async.js';
import 'core-js/actual/array/to-reversed.js';
import 'core-js/actual/array/to-sorted.js';
import 'core-js/actual/array/to-spliced.js';
import 'core-js/actual/iterator/index.js';
import 'core-js/actual/object/group-by.js';
import 'core-js/actual/promise/with-resolvers.js';
import 'core-js/actual/set/index.js';
