declare const brand: unique symbol;

/** A string that only its own maker may produce, so that one kind of id cannot stand in for another. */
export type Branded<Name extends string> = string & { readonly [brand]: Name };
