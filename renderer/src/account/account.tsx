import { Page } from '../components/page.tsx'
import { useSession } from '../session.ts'
import { AboutMe } from './about-me.tsx'
import css from './account.module.css'
import { MySessions } from './my-sessions.tsx'
import { PasswordPanel } from './password-panel.tsx'
import { SecondFactorPanel } from './second-factor-panel.tsx'
import { ThisWindow } from './this-window.tsx'
import { words } from './words.ts'

/** What a person may change of their own account, and where it is signed in. */
export function AccountScreen() {
  const user = useSession().data?.user
  if (!user) return null
  return (
    <Page title={words.title} about={words.about(user.email)}>
      <div className={css.columns}>
        <AboutMe user={user} />
        <ThisWindow />
        <PasswordPanel user={user} />
        <SecondFactorPanel />
      </div>
      <MySessions userId={user.userId} />
    </Page>
  )
}
