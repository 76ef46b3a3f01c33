import { describe, expect, it } from 'vitest'
import en from '#shared/messages/en.json' with { type: 'json' }
import es from '#shared/messages/es.json' with { type: 'json' }

/** Code of the title of the page, by its address. */
const SCREENS = {
  '/': 'ui.dashboard.title',
  '/worklist': 'ui.worklist.title',
  '/studies': 'ui.studies.title',
  '/images': 'ui.images.title',
  '/reading': 'ui.reports.list.title',
  '/customers': 'ui.customers.title',
  '/people': 'ui.users.title',
  '/devices': 'ui.devices.title',
  '/destinations': 'ui.destinations.title',
  '/partner': 'ui.partner.title',
  '/events': 'ui.events.title',
  '/keys': 'ui.api-keys.title',
  '/activity': 'ui.activity.live.title',
  '/settings': 'ui.settings.title',
} as const
const PLACES = {
  '/worklist/why': 'ui.worklist.why.title',
  '/worklist/ask': 'ui.worklist-tester.title',
  '/queries': 'ui.activity.tabs.queries',
  '/images/inform': 'ui.correction-notices.title',
  '/images/quarantine': 'ui.quarantine.title',
  '/images/recovered': 'ui.recovered-files.title',
  '/reading/criticals': 'ui.critical-results.title',
  '/reading/templates': 'ui.templates.title',
  '/destinations/priors': 'ui.prior-studies.title',
  '/activity/associations': 'ui.activity.list.title',
  '/audit': 'ui.audit.title',
  '/account': 'ui.account.title',
  '/settings/access': 'ui.settings.access.title',
  '/settings/backups': 'ui.backups.title',
  '/settings/lifecycle': 'ui.lifecycle.title',
  '/settings/tiers': 'ui.tiers.title',
  '/settings/readiness': 'ui.setup.readiness.title',
} as const
/** Places with a longer name in the palette, where the name of their tab would say too little. */
const LONGER = ['/events/dry-run', '/events/meter', '/worklist/reconcile']

describe.each([
  ['English', en],
  ['Spanish', es],
] as const)('a screen in %s', (_, catalogue) => {
  it.each([
    ['screens', Object.keys(SCREENS)],
    ['places', [...Object.keys(PLACES), ...LONGER]],
  ])('the list of this test has all %s of the catalogue', (group, paths) => {
    const start = `ui.shell.${group}.`
    const codes = Object.keys(catalogue).filter((code) => code.startsWith(start))
    expect(paths.toSorted()).toEqual(codes.map((code) => code.slice(start.length)).toSorted())
  })

  it.each(Object.entries(SCREENS))('%s has in the navigation the name of its page', (to, title) => {
    expect(Reflect.get(catalogue, `ui.shell.screens.${to}`)).toBe(catalogue[title])
  })

  it.each(Object.entries(PLACES))(
    '%s has in the palette the name of its page or tab',
    (to, title) => {
      expect(Reflect.get(catalogue, `ui.shell.places.${to}`)).toBe(catalogue[title])
    },
  )
})
