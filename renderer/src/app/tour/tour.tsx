import { Text, Title } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { Link, type LinkProps } from '@tanstack/react-router'
import { useState } from 'react'
import { t } from '../../i18n/t.ts'
import { Page } from '../../ui/page.tsx'
import css from './tour.module.css'

const STOPS = [
  { stop: 'devices', link: { to: '/devices' } },
  { stop: 'images', link: { to: '/images' } },
  { stop: 'mismatch', link: { to: '/images', search: { show: 'mismatch' } } },
  { stop: 'stat', link: { to: '/reading' } },
  { stop: 'delivery', link: { to: '/events', search: { show: 'waiting' } } },
  { stop: 'worklist', link: { to: '/worklist' } },
] as const satisfies readonly { readonly stop: string; readonly link: LinkProps }[]

const STORAGE_KEY = 'isthmus-tour'

/** The guided tour of the demo: what to look at, with a link to each screen. */
export function Tour() {
  const [seen] = useState(seenStops)
  return (
    <Page title={t('ui.tour.title')} about={t('ui.tour.about')}>
      <ol className={css.stops}>
        {STOPS.map(({ stop, link }) => (
          <li key={stop} className={css.stop}>
            <div>
              <Title order={2}>{t(`ui.tour.stops.${stop}.title`)}</Title>
              <Text>{t(`ui.tour.stops.${stop}.text`)}</Text>
            </div>
            <div className={css.open}>
              {seen.has(stop) && (
                <IconCircleCheck size={18} role="img" aria-label={t('ui.tour.seen')} />
              )}
              <Link {...link} onClick={() => markStopSeen(stop)}>
                {t(`ui.tour.stops.${stop}.link`)}
              </Link>
            </div>
          </li>
        ))}
      </ol>
      <Text c="dimmed">{t('ui.tour.again')}</Text>
    </Page>
  )
}

// Kept for the session of the browser, because a later demo begins anew.
const seenStops = () => new Set(sessionStorage.getItem(STORAGE_KEY)?.split(' '))

function markStopSeen(stop: string): void {
  sessionStorage.setItem(STORAGE_KEY, [...seenStops().add(stop)].join(' '))
}
