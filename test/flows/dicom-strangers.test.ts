import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dashboard } from '#shared/contract/dashboard.ts'
import { startGateway } from '../support/gateway.ts'
import { BEGINS, ended, imageOf, until } from '../support/imaging-clinic.ts'
import { openModality } from '../support/modality.ts'
import { tempFolder } from '../support/temp-store.ts'
import { queryWorklist, rejectionOf } from '../support/worklist-client.ts'

// Attacks from the DICOM network, over the real listener: each host has an address of its own, all
// of them addresses of this PC.
const [CT, ULTRASOUND, STRANGER, NEW_DEVICE] = ['127.0.0.7', '127.0.0.8', '127.0.0.66', '127.0.0.9']
const STEP = '1.2.3.900.66'

let temp: ReturnType<typeof tempFolder>
let gateway: Awaited<ReturnType<typeof startGateway>>
beforeAll(async () => {
  temp = tempFolder()
  gateway = await startGateway({
    folder: join(temp.folder, 'data'),
    devices: [
      { aeTitle: 'CT1', address: CT },
      { aeTitle: 'US1', address: ULTRASOUND },
    ],
  })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  temp[Symbol.dispose]()
})

const as = (callingAeTitle: string, localAddress: string) => ({ callingAeTitle, localAddress })

it('a host with the AE title of a device gets no worklist from another address', async () => {
  expect(await rejectionOf(gateway.dimsePort, as('CT1', STRANGER))).toBe('1/1/3')
  expect(await rejectionOf(gateway.dimsePort, as('CT1', ULTRASOUND))).toBe('1/1/3')
  expect(gateway.partner.requests).toBe(0)
  expect(await queryWorklist(gateway.dimsePort, as('CT1', CT))).toMatchObject({ status: '0000' })
})

it('another device neither changes nor ends the performed step of one', async () => {
  await using ct = await openModality(gateway.dimsePort, as('CT1', CT))
  expect(await ct.begin(STEP, BEGINS)).toMatchObject({ status: '0000' })
  await using other = await openModality(gateway.dimsePort, as('US1', ULTRASOUND))
  for (const changes of [{ PerformedProcedureStepDescription: 'Changed' }, ended('COMPLETED', [1])])
    expect(await other.set(STEP, changes)).toMatchObject({ status: '0110' })
  expect(await ct.set(STEP, ended('COMPLETED', [1]))).toMatchObject({ status: '0000' })
})

it('a device whose UIDs lead out of the data folder writes nothing outside it', async () => {
  await using ct = await openModality(gateway.dimsePort, as('CT1', CT))
  const out = '../../../../out'
  const uids = ['StudyInstanceUID', 'SeriesInstanceUID', 'SOPInstanceUID'] as const
  for (const uid of uids) await ct.store(imageOf(1, { [uid]: out }))
  await ct.store(imageOf(1, Object.fromEntries(uids.map((each) => [each, out]))))
  expect(readdirSync(temp.folder)).toEqual(['data'])
  const files = readdirSync(join(temp.folder, 'data'), { recursive: true })
  expect(
    files.filter((file) => String(file).includes('out.') || String(file).endsWith('out')),
  ).toEqual([])
  expect(await ct.store(imageOf(2))).toMatchObject({ status: '0000' })
})

it('a host that calls under invented names does not push a new device out of the inbox', async () => {
  expect(await rejectionOf(gateway.dimsePort, as('NEWMR', NEW_DEVICE))).toBe('1/1/3')
  for (let n = 0; n < 30; n++)
    expect(await rejectionOf(gateway.dimsePort, as(`INVENTED${n}`, STRANGER))).toBe('1/1/3')
  await until(async () => {
    const { callers } = await gateway.call(dashboard.callers, {})
    const invented = callers.filter(({ address }) => address === STRANGER)
    expect(invented.map(({ aeTitle }) => aeTitle)).toContain('INVENTED29')
    expect(invented).toHaveLength(20)
    expect(callers).toContainEqual(
      expect.objectContaining({ aeTitle: 'NEWMR', address: NEW_DEVICE }),
    )
  })
})

it('a host has one share of the connections of all listeners, and a device is served beside it', async () => {
  using opened = new DisposableStack()
  let open = 0
  const flood = (port: number, count: number) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const socket = connect({ host: '127.0.0.1', port, localAddress: STRANGER })
        opened.defer(() => void socket.destroy())
        socket.on('error', () => {})
        await once(socket, 'connect')
        open++
        socket.once('close', () => open--)
        socket.resume()
      }),
    )
  // A quarter of 1,000, and for each further one the oldest is closed.
  await flood(Number(new URL(gateway.http).port), 250)
  await flood(gateway.dimsePort, 60)
  await until(async () => expect(open).toBe(250))
  expect(await queryWorklist(gateway.dimsePort, as('CT1', CT))).toMatchObject({ status: '0000' })
  expect(open).toBe(250)
})
