import type { IncomingMessage, ServerResponse } from 'node:http'

// The sandbox has no port of its own: the listeners of the gateway pass it the requests with a test
// key, and those for the links that it gave out (decision 0075).

/** How the API keys of the sandbox begin. */
export const TEST_PREFIX = 'sk_test_'
/** Precedes the path of every link that the sandbox gives out. */
export const SANDBOX_PATH = '/sandbox'

/** Takes over a request for the sandbox; false if the sandbox is switched off. */
export type SandboxRequests = (request: IncomingMessage, response: ServerResponse) => boolean

/** The interfaces that keys authenticate for. */
const KEY_PATHS = /^\/(v1|dicom-web)\//
/** The pages that links lead to and what they request. The window is not among them. */
const LINK_PATHS = /^\/sandbox\/(reports|study|token|viewer)(?=[/?]|$)/
const TEST_KEY = new RegExp(`^Bearer +${TEST_PREFIX}`, 'i')

/** A request as Fastify reads it: `originalUrl` is the URL before it was changed. */
type IncomingRequest = IncomingMessage & { originalUrl?: string | undefined }

/**
 * Whether the request is for the sandbox. Removes the prefix of links from its URL; it stays in the
 * `originalUrl`.
 */
export function isForSandbox(request: IncomingRequest): boolean {
  const { url = '' } = request
  if (LINK_PATHS.test(url)) {
    request.originalUrl = url
    request.url = url.slice(SANDBOX_PATH.length)
    return true
  }
  return KEY_PATHS.test(url) && TEST_KEY.test(request.headers.authorization ?? '')
}
