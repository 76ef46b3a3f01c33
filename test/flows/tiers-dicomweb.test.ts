import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { dashboardImages } from '#shared/contract/images.ts'
import { dashboardTiers } from '#shared/contract/tiers.ts'
import { writeInstance } from '../support/instance-file.ts'
import { eraseStudy, openStoredArchive } from '../support/stored-archive.ts'
import { tempFolder } from '../support/temp-store.ts'

// A PACS behind the gateway that is asked by WADO-RS, and pauses within its response.

const STUDY = '2.25.100'

/** A server that sends the file as the response to WADO-RS, and its last bytes after `rest`. */
async function openPacs(file: Buffer) {
  const asked = Promise.withResolvers<void>()
  const rest = Promise.withResolvers<void>()
  const server = createServer(async (_, response) => {
    const type = 'multipart/related; type="application/dicom"; boundary=part'
    response.writeHead(200, { 'content-type': type })
    response.write('--part\r\nContent-Type: application/dicom\r\n\r\n')
    response.write(file.subarray(0, -100))
    asked.resolve()
    await rest.promise
    response.end(Buffer.concat([file.subarray(-100), Buffer.from('\r\n--part--\r\n')]))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    rest.resolve()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, asked: asked.promise, sendRest: rest.resolve }
}

it('stores no image that was erased while a PACS was sending it', async () => {
  using temporary = tempFolder()
  const file = writeInstance(temporary.folder, { sopInstanceUid: '2.25.100.1.1', size: 256 })
  const clinic = await openStoredArchive([file])
  const pacs = await openPacs(readFileSync(file.path))
  const { call } = clinic.archive.gateway
  await call(dashboardTiers.add, {
    body: {
      ...{ name: 'PACS', isEnabled: true, isAutomatic: false },
      settings: { kind: 'dicomweb', user: '', certificate: null, url: pacs.url },
    },
  })
  await clinic.withoutFiles()
  const answer = clinic.archive.get(`/studies/${STUDY}`, {
    accept: 'multipart/related; type="application/dicom"; transfer-syntax=*',
  })
  await pacs.asked
  await eraseStudy(clinic, STUDY)
  pacs.sendRest()
  expect((await answer).status).not.toBe(200)
  const { studies } = await clinic.archive.gateway.call(dashboardImages.list, { query: {} })
  expect(studies).toEqual([])
  const files = readdirSync(join(clinic.folder, 'images'), { recursive: true })
  expect(files.filter((name) => String(name).endsWith('.dcm'))).toEqual([])
})
