// biome-ignore-all lint/suspicious/noTemplateCurlyInString: parts of sources
import { ofArea } from './fault.ts'

const forwarding = 'electron/gateway/forwarding'
const webhooks = 'electron/gateway/webhooks'
const domain = 'electron/gateway/domain'
const store = 'electron/gateway/store'

export const forwards = ofArea('FWD', [
  {
    promise: 'P-FWD-03',
    what: 'a refusal of an image is taken for success',
    file: `${forwarding}/verdict.ts`,
    find: "if (category === 'success') return",
    replace: "if (category === 'success' || status === 0x0122) return",
    tests: `${forwarding}/verdict.test.ts`,
  },
  {
    promise: 'P-FWD-01',
    what: 'the modalities that a destination takes are not compared',
    file: `${forwarding}/queue.ts`,
    find: 'modalities.length === 0 || modalities.includes(modality.trim().toUpperCase())',
    replace: 'modalities.length === 0 || modality.trim().toUpperCase().length > 0',
    tests: `${forwarding}/forwarding.test.ts`,
  },
])

export const deliveries = ofArea('DEL', [
  {
    promise: 'P-DEL-02',
    what: 'a report counts as delivered without success true',
    file: `${webhooks}/answer.ts`,
    find: 'if (!success) throw new WebhookError(',
    replace: 'if (success === null) throw new WebhookError(',
    tests: `${webhooks}/answer-notes.test.ts`,
  },
  {
    promise: 'P-DEL-03',
    what: 'a later report of a study overtakes one that waits',
    file: `${store}/outbox.ts`,
    find: "                  .where('earlier.state', '=', 'waiting')",
    replace: "                  .where('earlier.state', '=', 'failed')",
    tests: `${store}/outbox.test.ts`,
  },
  {
    promise: 'P-DEL-01',
    what: 'a report is given up after the last wait of the schedule',
    file: `${webhooks}/deliveries.ts`,
    find: "        ...{ outcome: 'postponed', until: clock() + waitAfter(row.attempts, error.retryAfterMs), fault },",
    replace: `        ...(row.attempts < RETRY_MS.length
          ? ({ outcome: 'postponed', until: clock() + waitAfter(row.attempts, error.retryAfterMs), fault } as const)
          : ({ outcome: 'failed', fault } as const)),`,
    tests: `${webhooks}/deliveries.test.ts`,
  },
  {
    promise: 'P-DEL-05',
    what: 'Retry-After is ignored',
    file: `${webhooks}/deliveries.ts`,
    find: 'return Math.max(retryAfterMs, Math.round(',
    replace: 'return Math.max(Math.min(retryAfterMs, 1), Math.round(',
    tests: `${webhooks}/deliveries.test.ts`,
  },
  {
    promise: 'P-DEL-04',
    what: 'an event gets another id at each attempt',
    file: `${webhooks}/deliveries.ts`,
    find: '...{ signal, id: eventId, apiKeyId: made.apiKeyId },',
    replace: '...{ signal, apiKeyId: made.apiKeyId },',
    tests: `${webhooks}/deliveries.test.ts`,
  },
  {
    promise: 'P-DEL-06',
    what: 'an address that answers 410 stays on',
    file: `${webhooks}/deliveries.ts`,
    find: 'const isGone = error.httpStatus === 410',
    replace: 'const isGone = error.httpStatus === 404',
    tests: `${webhooks}/deliveries.test.ts`,
  },
  {
    promise: 'P-DEL-07',
    what: 'one call at a time for all endpoints together',
    file: `${store}/outbox-worker.ts`,
    find: '[...underWay.values()].filter((one) => one.group === group).length < atOnce',
    replace: '[...underWay.values()].filter((one) => one.group !== `${group}!`).length < atOnce',
    tests: [`${store}/outbox-worker.test.ts`, `${webhooks}/deliveries.test.ts`],
  },
  {
    promise: 'P-DEL-01',
    what: 'a row that a person gave up is settled by the attempt that was under way',
    file: `${store}/outbox.ts`,
    find: `            attempts: of('attempts', '+', state === 'dropped' ? 0 : 1),
          }))
          .where('outboxId', '=', outboxId)
          .where('state', '=', 'waiting'),`,
    replace: `            attempts: of('attempts', '+', state === 'dropped' ? 0 : 1),
          }))
          .where('outboxId', '=', outboxId),`,
    tests: [`${store}/outbox.test.ts`, `${store}/outbox-worker.test.ts`, `${store}/outbox.properties.test.ts`],
  },
  {
    promise: 'P-DEL-08',
    what: 'the signature leaves the timestamp out',
    file: `${webhooks}/signature.ts`,
    find: '.update(`${id}.${timestamp}.`).update(body)',
    replace: '.update(`${id}.`).update(body)',
    tests: `${webhooks}/signature.test.ts`,
  },
  {
    promise: 'P-DEL-08',
    what: 'the timestamp is in milliseconds',
    file: `${webhooks}/signature.ts`,
    find: 'String(Math.floor(at / 1000))',
    replace: 'String(Math.floor(at))',
    tests: `${webhooks}/signature.test.ts`,
  },
  {
    promise: 'P-DEL-08',
    what: 'a request without a secret goes out unsigned',
    file: `${webhooks}/signature.ts`,
    find: "if (secrets.length === 0) throw new WebhookError('no-endpoint', 'the partner has no signing secret')",
    replace: '',
    tests: `${webhooks}/signature.test.ts`,
  },
  {
    promise: 'P-DEL-09',
    what: 'only the newest secret signs',
    file: `${webhooks}/signature.ts`,
    find: 'secrets.map((secret) => {',
    replace: 'secrets.slice(0, 1).map((secret) => {',
    tests: `${webhooks}/signature.test.ts`,
  },
  {
    promise: 'P-DEL-10',
    what: 'the metadata service of a cloud is only a link-local address',
    file: `${webhooks}/address-class.ts`,
    find: "block('169.254.169.254/32', 'never', 'a cloud metadata'),",
    replace: "block('169.254.169.254/32', 'private', 'a link-local'),",
    tests: [`${webhooks}/address-class.test.ts`, `${webhooks}/address.test.ts`],
  },
  {
    promise: 'P-DEL-10',
    what: 'an IPv4 address within an IPv6 one is not looked at',
    file: `${webhooks}/address-class.ts`,
    find: "{ ...block('::ffff:0:0/96', 'never', ''), at: 12 },",
    replace: "{ ...block('::fffe:0:0/96', 'never', ''), at: 12 },",
    tests: [`${webhooks}/address-class.test.ts`, `${webhooks}/address.test.ts`],
  },
  {
    promise: 'P-DEL-11',
    what: 'a name is admitted by its first address alone',
    file: `${webhooks}/address.ts`,
    find: 'for (const { address } of addresses) admitAddress(address, own?.port ?? 0, route, own?.isOwn)',
    replace: 'admitAddress(first.address, own?.port ?? 0, route, own?.isOwn)',
    tests: `${webhooks}/address.test.ts`,
  },
  {
    promise: 'P-DEL-10',
    what: 'http is allowed to hosts that are not listed',
    file: `${webhooks}/address.ts`,
    find: "if (url.protocol === 'http:' && !isListed) throw",
    replace: "if (url.protocol === 'http:' && !isListed && isIP(hostname)) throw",
    tests: `${webhooks}/address.test.ts`,
  },
  {
    promise: 'P-LIM-10',
    what: 'files come from hosts that end like one of the list',
    file: `${webhooks}/address.ts`,
    find: 'if (!hosts.some((entry) => fileHostOf(entry) === here)) throw',
    replace: 'if (!hosts.some((entry) => here.endsWith(fileHostOf(entry)))) throw',
    tests: `${webhooks}/address.test.ts`,
  },
  {
    promise: 'P-LIM-10',
    what: 'a file that is larger than announced is read on',
    file: `${webhooks}/download.ts`,
    find: 'if (size > maxBytes) throw tooLarge()',
    replace: 'if (size > maxBytes && chunk.length > maxBytes) throw tooLarge()',
    tests: `${webhooks}/download.test.ts`,
  },
  {
    promise: 'P-LIM-09',
    what: 'what comes out of a decompression is not limited',
    file: `${webhooks}/response-body.ts`,
    find: '      if (end > limit) throw tooLarge()',
    replace: '      if (reading.bytes > limit) throw tooLarge()',
    tests: `${webhooks}/request-failures.test.ts`,
  },
  {
    promise: 'P-LIM-09',
    what: 'the depth of an answer is not limited',
    file: `${webhooks}/json-size.ts`,
    find: 'if (depth > MOST_DEPTH) throw',
    replace: 'if (depth > MOST_VALUES) throw',
    tests: [`${webhooks}/json-size.test.ts`, `${webhooks}/answer.test.ts`],
  },
  {
    promise: 'P-DEL-13',
    what: 'failures that do not follow each other open the circuit',
    file: `${webhooks}/circuit.ts`,
    find: `        circuit.failures = 0
        circuit.openedAt = undefined`,
    replace: `        circuit.openedAt = undefined`,
    tests: `${webhooks}/circuit.test.ts`,
  },
  {
    promise: 'P-LOG-07',
    what: 'the query of a presigned URL is kept with its event',
    file: `${domain}/event-log.ts`,
    find: `"$1?…"') ?? null`,
    replace: `"$1?…"') && json`,
    tests: `${domain}/event-log.test.ts`,
  },
])
