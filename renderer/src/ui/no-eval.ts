// zod tries `eval` as it builds its first schema, and a policy without it (script-src 'self')
// counts even the try as broken. What zod reads before that is set here, so this is the first
// import of every page; `z.config` would come after the schemas of what is imported beside it.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
