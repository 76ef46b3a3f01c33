import { deflateRawSync, gzipSync } from 'node:zlib'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { writeDataSet, type DataSet } from '#gateway/dimse/data-set.ts'
import { TRANSFER_SYNTAX } from '#gateway/dimse/uids.ts'
import { startGateway, type GatewayProcess } from '../support/gateway-process.ts'
import { openWildPartner, exams, exam, type WildPartner } from '../support/wild-partner.ts'
import { associated, Requestor, WORKLIST_CONTEXT, associateRq } from '../support/requestor.ts'
import { writePdu } from '#gateway/dimse/pdu-writer.ts'

let partner: WildPartner
let gateway: GatewayProcess
beforeAll(async () => {
  partner = await openWildPartner()
  gateway = await startGateway({ partnerUrl: partner.url, settings: { 'worklist.freshSeconds': 0, 'worklist.storedMinutes': 0, 'worklist.budgetSeconds': 5 } })
})
afterAll(async () => {
  console.log('LOG', gateway.log.filter((l) => !/"msg":"(ready|answered)"/.test(l)).slice(-20).join('\n'))
  await gateway[Symbol.asyncDispose]()
  await partner[Symbol.asyncDispose]()
})
const ELE = TRANSFER_SYNTAX.explicitLittleEndian
const t = (v: string) => Buffer.from(v.length & 1 ? `${v} ` : v, 'latin1')
const query = (more: DataSet = []) => writeDataSet([...base(), ...more].filter((e, i, a) => a.findLastIndex((o) => o.tag === e.tag) === i).sort((a, b) => a.tag - b.tag), ELE)
const base = (): DataSet => [
  { tag: 0x00080050, vr: 'SH', value: t('') },
  { tag: 0x00100010, vr: 'PN', value: t('') },
  { tag: 0x00100020, vr: 'LO', value: t('') },
  { tag: 0x0020000d, vr: 'UI', value: t('') },
  { tag: 0x00400100, vr: 'SQ', value: [[]] },
]
async function attack(name: string, work: () => Promise<unknown>, limit = 30_000) {
  const began = performance.now()
  let slowest = 0
  let over = false
  const beside = (async () => {
    while (!over && gateway.isAlive) {
      const a = performance.now()
      try { await using r = await associated(gateway.dimsePort, { callingAeTitle: 'ECHO' }); await r.echo(); slowest = Math.max(slowest, performance.now() - a) } catch (e) { slowest = 1e9 }
      await sleep(20)
    }
  })()
  let said: unknown
  const growth = await gateway.growthDuring(async () => {
    said = await Promise.race([work().catch((e) => `ERR ${e.message.slice(0, 200)}`), sleep(limit).then(() => 'TIMEOUT')])
  })
  over = true
  await beside
  console.log(`${name}: ${JSON.stringify(said)} growth ${growth.toFixed(0)} MiB took ${(performance.now() - began).toFixed(0)} ms echo ${slowest.toFixed(0)} ms alive ${gateway.isAlive}`)
}
const ask = async (identifier: Buffer, proposal = {}) => {
  await using r = await associated(gateway.dimsePort, proposal)
  const { identifiers, final } = await r.find(identifier)
  return `${identifiers.length} ${final.status?.toString(16)} ${final.errorComment ?? ''}`
}
it('queries', async () => {
  partner.sayItems(exams(5000))
  await attack('warm', () => ask(query()))
  await attack('warm', () => ask(query()))
  await attack('spaces PN', () => ask(query([{ tag: 0x00100010, vr: 'PN', value: t(`a${' '.repeat(65_000)}b`) }])))
  await attack('spaces UT 250K', () => ask(query([{ tag: 0x00404041, vr: 'UT', value: t(`a${' '.repeat(250_000)}b`) }])))
  await attack('carets PN', () => ask(query([{ tag: 0x00100010, vr: 'PN', value: t(`ä${'^'.repeat(65_000)}b`) }])))
  await attack('*a*a PN', () => ask(query([{ tag: 0x00100010, vr: 'PN', value: t('*a'.repeat(32_000)) }])))
  await attack('a***b PN', () => ask(query([{ tag: 0x00100010, vr: 'PN', value: t(`d${'*'.repeat(65_000)}q`) }])))
  await attack('a***b ID', () => ask(query([{ tag: 0x00100020, vr: 'LO', value: t(`P${'*'.repeat(65_000)}q`) }])))
  await attack('???? ID', () => ask(query([{ tag: 0x00100020, vr: 'LO', value: t(`*${'?*'.repeat(32_000)}q`) }])))
  await attack('A\\A ID', () => ask(query([{ tag: 0x00100020, vr: 'LO', value: t('A\\'.repeat(32_000)) }])))
  await attack('A*b\\ ID', () => ask(query([{ tag: 0x00100020, vr: 'LO', value: t('*A*b\\'.repeat(13_000)) }])))
  await attack('= PN', () => ask(query([{ tag: 0x00100010, vr: 'PN', value: t('a*b='.repeat(16_000)) }])))
  const latin = exams(5000).map((item, i) => ({ ...item, PatientName: `Müller${i}^Jürgen` }))
  partner.sayItems(latin)
  await attack('latin warm', () => ask(query()))
  await attack('charsets', () => ask(query([{ tag: 0x00080005, vr: 'CS', value: t('ISO 2022 IR 101\\'.repeat(4000)) }])), 60_000)
  const implicit = { contexts: [{ ...WORKLIST_CONTEXT, transferSyntaxes: [TRANSFER_SYNTAX.implicitLittleEndian] }] }
  await attack('values 250K implicit', () => ask(writeDataSet([...base()].map((e) => e.tag === 0x00100020 ? { ...e, value: t('*A*b\\'.repeat(50_000)) } : e), TRANSFER_SYNTAX.implicitLittleEndian), implicit), 60_000)
}, 600_000)
it('uids', async () => {
  await attack('uid spaces', async () => {
    const r = await Requestor.connect(gateway.dimsePort)
    const uid = `1${' '.repeat(65_000)}2`
    const item = (type: number, data: Buffer) => { const h = Buffer.alloc(4); h[0] = type; h.writeUInt16BE(data.length, 2); return Buffer.concat([h, data]) }
    const body = Buffer.concat([Buffer.from([0, 1, 0, 0]), Buffer.from('ISTHMUS'.padEnd(16) + 'X'.padEnd(16)), Buffer.alloc(32), ...Array.from({ length: 15 }, () => item(0x10, Buffer.from(uid)))])
    const h = Buffer.alloc(6); h[0] = 1; h.writeUInt32BE(body.length, 2)
    r.send(Buffer.concat([h, body]))
    return (await r.next())
  }, 60_000)
  await attack('512 x 1MiB associate', async () => {
    const h = Buffer.alloc(6); h[0] = 1; h.writeUInt32BE(1 << 20, 2)
    const rs = []
    for (let i = 0; i < 400; i++) { const r = await Requestor.connect(gateway.dimsePort); r.send(Buffer.concat([h, Buffer.alloc((1 << 20) - 1)])); rs.push(r) }
    await sleep(4000)
    for (const r of rs) r.reset()
    return rs.length
  }, 60_000)
}, 600_000)
