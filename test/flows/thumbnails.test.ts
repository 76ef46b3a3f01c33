import { expect, it } from 'vitest'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardImages, thumbnailPaths } from '#shared/contract/images.ts'
import { encoded } from '../electron/server/modules/images/intake-fixture.ts'
import { OWNER, sessionHeaders } from '../support/gateway.ts'
import { imageOf, openImagingClinic, sendImages, sopUid, UID } from '../support/imaging-clinic.ts'

const SERIES = `${UID}.1`
const SIDE = 16
/** Grey of one level: a JPEG of it can be told from the others. */
const ofLevel = (number: number, level: number) =>
  imageOf(number, {
    ...{ Rows: SIDE, Columns: SIDE, BitsAllocated: 8, BitsStored: 8, HighBit: 7 },
    ...{ WindowCenter: '128', WindowWidth: '256' },
    PixelData: String.fromCharCode(level).repeat(SIDE * SIDE),
  })

it('gives the picture of a study and of each series to who may see it, and asks again whether it changed', async () => {
  await using clinic = await openImagingClinic({ idleSeconds: 3600 })
  const { http, call } = clinic.gateway
  // As of a report: no Rows, no pixels.
  const report = Object.fromEntries(
    Object.entries(imageOf(9, { SeriesInstanceUID: `${UID}.2`, Modality: 'SR' })).filter(
      ([keyword]) => !/^(Rows|Columns|PixelData)$/.test(keyword),
    ),
  )
  await sendImages(clinic, [ofLevel(3, 120), ofLevel(1, 20), ofLevel(2, 60), report])
  const headers = await sessionHeaders(http, OWNER)
  const get = (path: string, more: Record<string, string> = {}) =>
    fetch(`${http}${path}`, { headers: { ...headers, ...more } })

  const answer = await get(thumbnailPaths.series(UID, SERIES))
  expect(answer.status).toBe(200)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'image/png',
    'cache-control': 'private, no-cache',
    'x-content-type-options': 'nosniff',
  })
  const png = Buffer.from(await answer.arrayBuffer())
  expect(png.toString('latin1', 1, 4)).toBe('PNG')
  // The series with the most images stands for the study.
  const ofStudy = await get(thumbnailPaths.study(UID))
  expect(Buffer.from(await ofStudy.arrayBuffer()).equals(png)).toBe(true)

  const etag = answer.headers.get('etag') ?? ''
  expect(ofStudy.headers.get('etag')).toBe(etag)
  const again = await get(thumbnailPaths.study(UID), { 'if-none-match': etag })
  expect([again.status, await again.text()]).toEqual([304, ''])
  await sendImages(clinic, [ofLevel(4, 100), ofLevel(5, 110)])
  const changed = await get(thumbnailPaths.study(UID), { 'if-none-match': etag })
  expect(changed.status).toBe(200)
  expect(changed.headers.get('etag')).not.toBe(etag)

  // A report has no picture, and neither has what is not here.
  expect((await get(thumbnailPaths.series(UID, `${UID}.2`))).status).toBe(204)
  expect((await get(thumbnailPaths.series(UID, '1.2.3'))).status).toBe(204)
  expect((await fetch(`${http}${thumbnailPaths.study(UID)}`)).status).toBe(401)

  const looks = async () => {
    const { entries } = await call(dashboard.audit, { query: { action: 'read.' } })
    return entries.map(({ action, target }) => `${action} ${target}`)
  }
  await expect.poll(looks, { timeout: 5000 }).toEqual(['read.list images'])
})

it('gives the picture of an image in quarantine, and none of one that cannot be decoded', async () => {
  await using clinic = await openImagingClinic({ idleSeconds: 3600 })
  const { http, call } = clinic.gateway
  await using modality = await clinic.modality()
  const cut = encoded(ofLevel(1, 90)).subarray(0, -100)
  expect(await modality.storeBytes(sopUid(1), cut)).toMatchObject({ status: '0000' })
  const { instances } = await call(dashboardImages.quarantine, { query: {} })
  const [{ instanceId } = { instanceId: 0 }] = instances
  const headers = await sessionHeaders(http, OWNER)
  const get = (path: string) => fetch(`${http}${path}`, { headers })
  expect((await get(thumbnailPaths.quarantined(instanceId))).status).toBe(204)
  expect((await get(thumbnailPaths.quarantined(instanceId + 1))).status).toBe(404)
  expect((await get(thumbnailPaths.quarantined(-1))).status).toBe(400)
})
