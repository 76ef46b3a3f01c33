import { IconLock } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { knownText, t } from '../../i18n/t.ts'
import { EmptyState, Page } from '../../ui/page.tsx'
import { screenAt } from './screens.ts'

/** In place of a screen that is not for this person: what it is for, and who can open it. */
export function AccessDenied({ pathname, isLimited }: { pathname: string; isLimited: boolean }) {
  const screen = screenAt(pathname)
  const name =
    pathname === '/audit'
      ? t('ui.shell.places./audit')
      : (screen?.name ?? t('ui.shell.notYoursHere'))
  const what =
    knownText(`ui.shell.notYoursText.${pathname}`) ??
    knownText(`ui.shell.notYoursText.${screen?.to}`)
  const title = isLimited ? t('ui.shell.everyPatient') : t('ui.shell.notYoursHere')
  return (
    <Page title={name}>
      <EmptyState
        icon={<IconLock size={36} stroke={1.3} aria-hidden />}
        title={title}
        action={<Link to="/">{t('ui.shell.toToday')}</Link>}
      >
        {isLimited ? (
          t('ui.shell.everyPatientText')
        ) : (
          <>
            {what} {t('ui.shell.notYoursWho')}
          </>
        )}
      </EmptyState>
    </Page>
  )
}
