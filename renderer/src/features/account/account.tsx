import { useSession } from '../../api/session.ts'
import { t } from '../../i18n/t.ts'
import { Page } from '../../ui/page.tsx'
import { ProfilePanel } from './about-me.tsx'
import css from './account.module.css'
import { MySessions } from './my-sessions.tsx'
import { PasswordPanel } from './password-panel.tsx'
import { SecondFactorPanel } from './second-factor-panel.tsx'
import { WindowPreferencesPanel } from './this-window.tsx'

/** What a person may change of their own account, and where it is signed in. */
export function AccountScreen() {
  const user = useSession().data?.user
  if (!user) return null
  return (
    <Page title={t('ui.account.title')} about={t('ui.account.about', { email: user.email })}>
      <div className={css.columns}>
        <ProfilePanel user={user} />
        <WindowPreferencesPanel />
        <PasswordPanel user={user} />
        <SecondFactorPanel />
      </div>
      <MySessions userId={user.userId} />
    </Page>
  )
}
