import { expect, it } from 'vitest'
import { totalsOf } from '#server/modules/diagnostics/total-queries.ts'
import { seedImages } from '../../../../support/images.ts'
import { tempStore } from '../../../../support/temp-store.ts'

it('counts nothing in a new folder', async () => {
  using temp = tempStore()
  expect(await totalsOf(temp.store.database)).toEqual({
    scribeStudies: 0,
    viewerStudies: 0,
    reports: 0,
    instances: 0,
    instanceBytes: 0,
  })
})

it('counts the instances of every study, however many parts they are read in', async () => {
  using temp = tempStore()
  const { store } = temp
  store.database.transaction(() => {
    for (let study = 0; study < 1100; study++)
      seedImages(store, { uid: `1.2.${study}`, instances: 2 })
  })
  const { instances, instanceBytes } = await totalsOf(store.database)
  expect(instances).toBe(2200)
  expect(instanceBytes).toBeGreaterThan(0)
})
