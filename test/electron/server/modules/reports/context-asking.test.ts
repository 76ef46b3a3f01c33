import { expect, it, onTestFinished } from 'vitest'
import { openRefusedHosts } from '#server/modules/partners/refused-hosts.ts'
import { contextAsking } from '#server/modules/reports/context-asking.ts'
import { openDownloads } from '#server/webhooks/download.ts'
import { newEndpoint } from '../../../../support/endpoints.ts'
import { tempStore } from '../../../../support/temp-store.ts'
import { openPartner, openTestRequester } from '../../webhooks/request-fixture.ts'

const QUESTION = {
  clinicId: '3f1b6c58-6a0e-4f8a-9f0e-7b1f5d0c2a11',
  studyId: '3f1b6c58-6a0e-4f8a-9f0e-7b1f5d0c2a12',
  studyInstanceUid: '1.2.3',
}

it('keeps neither a question nor a document waiting that hangs when the gateway closes, and calls neither a failure', async () => {
  const asked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const partner = await openPartner((response, number) => {
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
    asked[number]?.resolve()
  })
  const host = `127.0.0.1:${partner.port}`
  const { requester } = openTestRequester(partner.url)
  const downloads = openDownloads({ plaintextHosts: () => [host], clock: Date.now })
  onTestFinished(() => downloads[Symbol.asyncDispose]())
  const closing = new AbortController()
  const temp = tempStore()
  onTestFinished(() => temp[Symbol.dispose]())
  newEndpoint(temp.store, { fileHosts: [host] })
  const { ask, fetch } = contextAsking(
    temp.store,
    requester,
    downloads,
    openRefusedHosts(Date.now),
    { setEffect: () => undefined },
    closing.signal,
  )
  const reason = new Error('closing')
  const under = [
    expect(ask(QUESTION, { subject: 'stu_1', studyInstanceUid: '1.2.3' })).rejects.toBe(reason),
    expect(fetch(`http://${host}/document.pdf`, { maxBytes: 1024 })).rejects.toBe(reason),
  ]
  await Promise.all(asked.map(({ promise }) => promise))
  closing.abort(reason)
  await Promise.all(under)
})
