import { ofArea } from './fault.ts'

const http = 'electron/gateway/http'
const domain = 'electron/gateway/domain'
const store = 'electron/gateway/store'

export default ofArea('API', [
  {
    promise: 'P-API-05',
    what: 'a key of scope self reaches every study',
    file: `${domain}/study-access.ts`,
    find: "caller.scope === 'all' || study.createdByApiKeyId === caller.apiKeyId",
    replace: "caller.scope === 'all' || study.createdByApiKeyId !== null",
    tests: `${domain}/studies.test.ts`,
  },
  {
    promise: 'P-API-06',
    what: 'a revoked key still opens',
    file: `${domain}/api-keys.ts`,
    find: 'if (!found || found.revokedAt !== null) return undefined',
    replace: 'if (!found) return undefined',
    tests: `${domain}/api-keys.test.ts`,
  },
  {
    promise: 'P-API-06',
    what: 'a key is remembered after the keys were changed',
    file: `${http}/known-keys.ts`,
    find: '      known.clear()\n',
    replace: '',
    tests: `${http}/known-keys.test.ts`,
  },
  {
    promise: 'P-API-07',
    what: 'the secret before a rotation opens for ever',
    file: `${domain}/api-keys.ts`,
    find: "if (found.keyHash !== keyHash && (found.oldExpiresAt ?? '') <= instantOf(clock())) return undefined",
    replace: 'if (found.keyHash !== keyHash && found.oldExpiresAt === null) return undefined',
    tests: `${domain}/api-keys.test.ts`,
  },
  {
    promise: 'P-API-04',
    what: 'a bad key falls back to the session of the browser',
    file: `${http}/callers.ts`,
    find: "    throw unauthenticated('The API key is not one of this gateway, or was revoked.', 'Bearer error=\"invalid_token\"')",
    replace: '',
    tests: `${http}/partners.test.ts`,
  },
  {
    promise: 'P-API-09',
    what: 'an Idempotency-Key of one caller answers another',
    file: `${store}/idempotency.ts`,
    find: '.update(JSON.stringify([caller, call, key]))',
    replace: ".update(JSON.stringify([caller.split(':')[0], call, key]))",
    tests: `${store}/idempotency.test.ts`,
  },
  {
    promise: 'P-API-09',
    what: 'an Idempotency-Key with another body is answered as before',
    file: `${http}/idempotency.ts`,
    find: 'if (before.bodyHash !== bodyHash) throw otherBody()',
    replace: '',
    tests: `${http}/idempotency.test.ts`,
  },
  {
    promise: 'P-API-10',
    what: 'the last page of a list has a cursor',
    file: `${store}/page.ts`,
    find: 'if (rows.length <= limit || last === undefined) return { items, hasMore: false }',
    replace: 'if (rows.length < limit || last === undefined) return { items, hasMore: false }',
    tests: `${store}/page.test.ts`,
  },
  {
    promise: 'P-API-11',
    what: 'a cursor may be used with other filters',
    file: `${http}/cursor-codec.ts`,
    find: '.update(JSON.stringify([position, list, canonical(filters)]))',
    replace: '.update(JSON.stringify([position, list, canonical({})]))',
    tests: [`${http}/cursor-codec.test.ts`],
  },
  {
    promise: 'P-API-13',
    what: 'all keys share one bucket of calls',
    file: `${http}/rate-limit.ts`,
    find: 'const before = buckets.get(caller) ?? {',
    replace: 'const before = [...buckets.values()].at(-1) ?? {',
    tests: `${http}/rate-limit.test.ts`,
  },
  {
    promise: 'P-API-13',
    what: 'calls without a valid key use up the calls of keys at their address',
    file: `${http}/partners.ts`,
    find: 'return callerOf(request, use, deps)',
    replace: `const caller = callerOf(request, use, deps)
    if (refusedLimit.take(hostOf(request.socket.remoteAddress ?? '')).isAllowed) return caller
    throw new ApiError('too-many', '')`,
    tests: 'flows/interface/wire.test.ts',
  },
  {
    promise: 'P-LIM-08',
    what: 'strangers may send bodies of a megabyte',
    file: `${http}/operations.ts`,
    find: 'const PUBLIC_BYTES = 16 * 1024',
    replace: 'const PUBLIC_BYTES = 1024 * 1024 * 1024',
    tests: `${http}/public-body.test.ts`,
  },
  {
    promise: 'P-API-15',
    what: 'what was read before a change is remembered after it',
    file: `${http}/operations.ts`,
    find: 'replies.keep(caller, request.url, bytes, version)',
    replace: 'replies.keep(caller, request.url, bytes, replies.version())',
    tests: `${http}/reply-version.test.ts`,
  },
])
