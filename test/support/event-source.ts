import { type ClientRequest, type IncomingHttpHeaders, request } from 'node:http'

export interface ReceivedEvent {
  readonly event: string
  readonly data: unknown
  readonly id: string | undefined
}

/** A reader of server-sent events (HTML Standard §9.2) over node:http, with its own headers. */
export interface TestEventSource {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The next event; rejects where the stream ends before. */
  next(): Promise<ReceivedEvent>
  /** Settles when the server has ended or cut off the stream. */
  readonly ended: Promise<void>
  /** Text of comments and unknown fields so far. */
  readonly rest: () => string
  close(): void
}

export function openEventSource(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestEventSource> {
  const events: ReceivedEvent[] = []
  const waiting: PromiseWithResolvers<ReceivedEvent>[] = []
  const ended = Promise.withResolvers<void>()
  let rest = ''
  let text = ''

  const take = (block: string) => {
    const field = (name: string) =>
      block
        .split('\n')
        .find((line) => line.startsWith(`${name}: `))
        ?.slice(name.length + 2)
    const data = field('data')
    if (data === undefined) {
      rest += `${block}\n\n`
      return
    }
    const event = { event: field('event') ?? 'message', data: JSON.parse(data), id: field('id') }
    const waiter = waiting.shift()
    if (waiter) waiter.resolve(event)
    else events.push(event)
  }

  return new Promise((settle, fail) => {
    const asked: ClientRequest = request(url, { headers, agent: false }, (answer) => {
      answer.setEncoding('utf8')
      answer.on('data', (chunk: string) => {
        text += chunk
        const blocks = text.split('\n\n')
        text = blocks.pop() ?? ''
        for (const block of blocks) take(block)
      })
      answer.on('error', () => {})
      answer.on('close', () => {
        for (const waiter of waiting.splice(0)) waiter.reject(new Error('the stream ended'))
        ended.resolve()
      })
      settle({
        status: answer.statusCode ?? 0,
        headers: answer.headers,
        ended: ended.promise,
        rest: () => rest,
        close: () => asked.destroy(),
        next() {
          const event = events.shift()
          if (event) return Promise.resolve(event)
          const waiter = Promise.withResolvers<ReceivedEvent>()
          waiting.push(waiter)
          return waiter.promise
        },
      })
    })
    asked.on('error', fail)
    asked.end()
  })
}
