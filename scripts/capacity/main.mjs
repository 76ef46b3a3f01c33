import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { pixelBytes, STUDIES } from './instances.mjs'
import { difference, openMeasured } from './measure.mjs'
import { fitted, studyCost } from './model.mjs'
import { simulatedSites, withTables } from './tables.mjs'

const FILE = join(import.meta.dirname, 'costs.json')
const costs = () => JSON.parse(readFileSync(FILE, 'utf8'))
/** Instances of each modality that are measured, after as many that are not. */
const MEASURED = { CT: 200, MR: 300, DX: 16, US: 80, MG: 8 }
/** How far the model may be from a real process. */
const TOLERANCE = 0.25

async function measure() {
  const gateway = await openMeasured()
  const rows = {}
  try {
    for (const [modality, count] of Object.entries(MEASURED)) {
      // The first ones load and compile what the others use.
      await gateway.send(modality, count)
      const before = await gateway.totals()
      await gateway.send(modality, count)
      const used = difference(await gateway.totals(), before)
      rows[modality] = {
        bytes: pixelBytes(STUDIES[modality]),
        cpuMs: used.cpuMs / count,
        diskBytes: Math.round(used.imageBytes / count),
        networkBytes: Math.round(used.received / count),
      }
      console.log(modality, JSON.stringify(rows[modality]))
    }
    const database = await databaseCosts(gateway)
    const receive = fitted(Object.values(rows))
    const forward = await forwardCosts(gateway, receive)
    const figures = {
      at: new Date().toISOString().slice(0, 10),
      cpu: `${cpus().length} cores, ${cpus()[0]?.model.trim()}`,
      node: process.versions.node,
      perInstance: rows,
      ...{ receive, forward },
      ...database,
    }
    writeFileSync(FILE, `${JSON.stringify(figures, null, 2)}\n`)
    console.log(JSON.stringify(figures, null, 2))
  } finally {
    await gateway.close()
  }
}

/** What the way to an archive costs more than storing alone. */
async function forwardCosts(gateway, receive) {
  await gateway.forwardAll()
  const rows = []
  for (const modality of ['CT', 'DX', 'MG']) {
    const count = MEASURED[modality]
    await gateway.send(modality, count)
    const before = await gateway.totals()
    await gateway.send(modality, count)
    const { cpuMs } = difference(await gateway.totals(), before)
    const bytes = pixelBytes(STUDIES[modality])
    rows.push({
      bytes,
      cpuMs: Math.max(0.1, cpuMs / count - receive.perInstanceMs - (bytes / 1e6) * receive.perMbMs),
    })
    console.log('forward', modality, JSON.stringify(rows.at(-1)))
  }
  return fitted(rows)
}

/** Of studies with one and with many small instances. */
async function databaseCosts(gateway) {
  const used = async (studies, instances) => {
    const before = await gateway.totals()
    for (let study = 0; study < studies; study++) await gateway.send('MR', instances)
    return difference(await gateway.totals(), before).databaseBytes
  }
  const one = (await used(40, 1)) / 40
  const many = (await used(4, 400)) / 4
  const perInstanceDatabaseBytes = Math.max(0, Math.round((many - one) / 399))
  return {
    perInstanceDatabaseBytes,
    perStudyDatabaseBytes: Math.max(0, Math.round(one - perInstanceDatabaseBytes)),
  }
}

/** Whether the model predicts what a mix of studies costs a real process. */
async function validate() {
  const given = costs()
  const mix = { CT: 1, MR: 2, DX: 20, US: 4, MG: 3 }
  const gateway = await openMeasured()
  try {
    for (const modality of Object.keys(mix))
      await gateway.send(modality, STUDIES[modality].instances)
    const before = await gateway.totals()
    const began = performance.now()
    await Promise.all(
      Object.entries(mix).map(async ([modality, count]) => {
        for (let study = 0; study < count; study++)
          await gateway.send(modality, STUDIES[modality].instances)
      }),
    )
    const seconds = (performance.now() - began) / 1000
    const used = difference(await gateway.totals(), before)
    const sum = (of) =>
      Object.entries(mix).reduce(
        (total, [name, count]) => total + count * of(studyCost(given, name)),
        0,
      )
    const rows = [
      ['CPU ms', sum(({ receiveMs }) => receiveMs), used.cpuMs],
      ['disk bytes', sum(({ bytes }) => bytes), used.imageBytes],
      ['database bytes', sum(({ databaseBytes }) => databaseBytes), used.databaseBytes],
      ['network bytes', sum(({ bytes }) => bytes), used.received],
    ]
    console.log(`${Object.values(mix).reduce((a, b) => a + b)} studies in ${seconds.toFixed(1)} s`)
    for (const [name, model, real] of rows) {
      const ratio = real / model
      const isNear = Math.abs(ratio - 1) <= TOLERANCE
      console.log(
        `${name}: model ${Math.round(model)}, measured ${Math.round(real)}, ratio ${ratio.toFixed(2)}`,
      )
      if (!isNear && name !== 'database bytes') process.exitCode = 1
    }
  } finally {
    await gateway.close()
  }
}

/** One line for each site. */
function simulate() {
  for (const { site, load, worst, advice } of simulatedSites(costs()))
    console.log(
      [
        ...[site.number, site.name, load.studies, `${(load.bytes / 1e9).toFixed(1)} GB`],
        `core ${((worst.busiestHour / 3600) * 100).toFixed(1)} %`,
        `wait ${worst.longestWait.toFixed(1)} s`,
        `line ${(load.peakNetwork * 100).toFixed(0)} %`,
        `${Math.round(load.daysOnDisk)} days`,
        advice.join(', ') || '-',
      ].join(' | '),
    )
}

/** Writes the tables of the document. */
function document() {
  const path = join(import.meta.dirname, '../../docs/SCALING.md')
  writeFileSync(path, withTables(readFileSync(path, 'utf8'), costs()))
}

const run = { measure, validate, simulate, document }[process.argv[2] ?? 'simulate']
if (!run) throw new Error('measure, validate, simulate or document')
await run()
