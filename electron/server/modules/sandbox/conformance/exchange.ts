import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'

/** A request of a conformance run. */
export interface TestRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** Milliseconds to pause in the middle of the body; 0 by default. */
  readonly pauseMs?: number
}

/** What came back. */
export interface TestAnswer {
  /** Undefined if there was no answer. */
  readonly status: number | undefined
  readonly body: Buffer
  /** Milliseconds from the end of the request to the last byte of the answer. */
  readonly tookMs: number
  /** Why there was no answer, or not a whole one. */
  readonly fault: string | undefined
}

export type Exchange = (request: TestRequest) => Promise<TestAnswer>

/** As much of an answer as a gateway would read. */
const MAX_BYTES = 20 * 1024 * 1024

/**
 * Returns a function that posts to an address and waits for the answer. A redirect is not followed,
 * as the gateway does not. It never rejects.
 * @param maxMs milliseconds to wait for an answer
 */
export function createExchange(url: string, maxMs: number): Exchange {
  const target = new URL(url)
  const open = target.protocol === 'https:' ? httpsRequest : httpRequest
  return async ({ headers, body, pauseMs = 0 }) => {
    let startedAt = performance.now()
    const chunks: Buffer[] = []
    const answer = (status: number | undefined, fault?: string): TestAnswer => ({
      ...{ status, fault, body: Buffer.concat(chunks), tookMs: performance.now() - startedAt },
    })
    const sent = open(target, {
      method: 'POST',
      agent: false,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'user-agent': 'Isthmus',
        'content-length': String(body.length),
        ...headers,
      },
    })
    let status: number | undefined
    const timer = setTimeout(() => sent.destroy(new Error(`no answer within ${maxMs} ms`)), maxMs)
    try {
      const responsePromise = once(sent, 'response')
      // An error before the response is reported by the await below.
      responsePromise.catch(() => undefined)
      if (pauseMs > 0) {
        sent.write(body.subarray(0, body.length >> 1))
        await wait(pauseMs)
        sent.end(body.subarray(body.length >> 1))
      } else sent.end(body)
      startedAt = performance.now()
      const [response] = await responsePromise
      status = response.statusCode
      let size = 0
      for await (const chunk of response as AsyncIterable<Buffer>) {
        chunks.push(chunk)
        size += chunk.length
        if (size > MAX_BYTES) return answer(status, 'the answer has more than 20 MiB')
      }
      return answer(status)
    } catch (error) {
      return answer(status, faultOf(error))
    } finally {
      clearTimeout(timer)
      sent.destroy()
    }
  }
}

function faultOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return message || code || String(error)
}
