import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { scriptOf } from '#electron/simulator/script.ts'
import { worklistDay } from '#electron/simulator/worklist-day.ts'
import type { Envelope } from '#shared/contract/webhooks.ts'

export interface PicturedPartner extends AsyncDisposable {
  readonly url: string
  /** Answers the next report with an error, as a partner does whose own database is away. */
  failNextReport(): void
  /** It is reached no more. */
  goAway(): void
}

/** It believes every signature: those of another day are too old for a careful partner. */
export async function openPartner(day: string): Promise<PicturedPartner> {
  let isFailing = false
  const script = scriptOf(
    (date) => worklistDay(date, { withBadRows: true }),
    () => day,
  )
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const { type, data } = JSON.parse(Buffer.concat(chunks).toString()) as Envelope
    const fails = isFailing && type === 'report.delivered'
    if (fails) isFailing = false
    const answer = fails
      ? { error: 'The database of the partner is away.' }
      : (script[type] as (given: unknown) => unknown)(data)
    response
      .writeHead(fails ? 503 : 200, { 'content-type': 'application/json' })
      .end(JSON.stringify(answer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const closed = once(server, 'close')
  const goAway = () => {
    server.close()
    server.closeAllConnections()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    failNextReport() {
      isFailing = true
    },
    goAway,
    async [Symbol.asyncDispose]() {
      goAway()
      await closed
    },
  }
}
