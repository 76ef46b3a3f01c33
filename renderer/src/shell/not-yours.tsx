import { IconLock } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Empty, Page } from '../components/page.tsx'
import { t } from '../i18n/t.ts'
import { screenAt } from './screens.ts'
import { words } from './words.ts'

/** In place of a screen that is not for this person: what it is for, and who can open it. */
export function NotYours({ pathname, isLimited }: { pathname: string; isLimited: boolean }) {
  const isKnown = (address: string): address is keyof typeof words.notYoursText =>
    Object.hasOwn(words.notYoursText, address)
  const screen = screenAt(pathname)
  const name =
    pathname === '/audit'
      ? t('ui.shell.places./audit')
      : (screen?.name ?? t('ui.shell.notYoursHere'))
  const address = isKnown(pathname) ? pathname : (screen?.to ?? pathname)
  const title = isLimited ? t('ui.shell.everyPatient') : t('ui.shell.notYoursHere')
  return (
    <Page title={name}>
      <Empty
        icon={<IconLock size={36} stroke={1.3} aria-hidden />}
        title={title}
        action={<Link to="/">{t('ui.shell.toToday')}</Link>}
      >
        {isLimited ? (
          t('ui.shell.everyPatientText')
        ) : (
          <>
            {isKnown(address) && t(`ui.shell.notYoursText.${address}`)} {t('ui.shell.notYoursWho')}
          </>
        )}
      </Empty>
    </Page>
  )
}
