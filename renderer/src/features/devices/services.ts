import { t } from '../../i18n/t.ts'

/** Services named in full; an archive asks for a hundred and more. */
const MAX_NAMED_SERVICES = 4

/** What a caller wanted, in one line: those with a name first, the rest by their number. */
export function servicesText(services: readonly string[]): string {
  const named = services.filter((service) => !/^[\d.]+$/.test(service))
  const shown = (named.length > 0 ? named : services).slice(0, MAX_NAMED_SERVICES)
  const more = services.length - shown.length
  return more === 0
    ? shown.join(', ')
    : t('ui.devices.inbox.more', { services: shown.join(', '), count: more })
}
