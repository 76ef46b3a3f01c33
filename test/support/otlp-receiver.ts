import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

type Attributes = readonly { readonly key: string; readonly value: object }[]
export interface OtlpMetric {
  readonly name: string
  readonly description: string
  readonly sum?: { readonly isMonotonic: boolean; readonly dataPoints: readonly OtlpPoint[] }
  readonly gauge?: { readonly dataPoints: readonly OtlpPoint[] }
  readonly histogram?: { readonly dataPoints: readonly OtlpPoint[] }
}
interface OtlpPoint {
  readonly attributes: Attributes
  readonly asDouble?: number
  readonly count?: number | string
  readonly sum?: number
  readonly bucketCounts?: readonly (number | string)[]
  readonly explicitBounds?: readonly number[]
}
export interface OtlpLogRecord {
  readonly severityNumber: number
  readonly severityText: string
  readonly body: { readonly stringValue: string }
  readonly attributes: Attributes
}

/** A small OTLP/HTTP receiver: what arrives, decoded. `status` 0 does not answer at all. */
export async function openOtlpReceiver() {
  const state = {
    status: 200,
    headers: [] as IncomingHttpHeaders[],
    resources: [] as Record<string, unknown>[],
    metrics: new Map<string, OtlpMetric>(),
    exports: 0,
    logs: [] as OtlpLogRecord[],
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      state.headers.push(request.headers)
      if (state.status === 0) return
      response.writeHead(state.status, { 'content-type': 'application/json' }).end('{}')
      if (state.status !== 200) return
      const body = JSON.parse(Buffer.concat(chunks).toString())
      for (const { resource, scopeMetrics } of body.resourceMetrics ?? []) {
        state.exports++
        state.resources.push(plain(resource.attributes))
        for (const { metrics } of scopeMetrics)
          for (const metric of metrics) state.metrics.set(metric.name, metric)
      }
      for (const { resource, scopeLogs } of body.resourceLogs ?? []) {
        state.resources.push(plain(resource.attributes))
        for (const { logRecords } of scopeLogs) state.logs.push(...logRecords)
      }
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    state,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

/** Attributes as an object. */
export const plain = (attributes: Attributes): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
