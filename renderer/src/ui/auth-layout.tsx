import type { ReactNode } from 'react'
import { t } from '../i18n/t.ts'
import css from './auth-layout.module.css'
import { Mark } from './brand.tsx'
import { HELP_TARGET, helpAddress } from './help.ts'
import { LanguageChoice } from './language-choice.tsx'
import { useHelpKey } from './use-help-key.ts'

/** The frame of the screens before one is signed in. */
export function AuthLayout({
  foot,
  screen = '/sign-in',
  children,
}: {
  foot: string
  /** Path of the route whose help is linked, and opened by F1. */
  screen?: string
  children: ReactNode
}) {
  useHelpKey(screen)
  return (
    <div className={css.door}>
      <aside className={css.side}>
        <svg
          className={css.shores}
          viewBox="0 0 400 800"
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <path
            d="M0 260c110 0 120 120 200 120s90-120 200-120"
            fill="none"
            stroke="#8fe0d2"
            strokeWidth="2"
          />
          <path
            d="M0 220c110 0 120 130 200 130s90-130 200-130"
            fill="none"
            stroke="#8fe0d2"
            strokeWidth="1"
          />
          <path
            d="M0 560c110 0 120-120 200-120s90 120 200 120"
            fill="none"
            stroke="#8fe0d2"
            strokeWidth="2"
          />
          <path
            d="M0 600c110 0 120-130 200-130s90 130 200 130"
            fill="none"
            stroke="#8fe0d2"
            strokeWidth="1"
          />
        </svg>
        <div className={css.name}>
          <Mark size={36} />
          Isthmus
        </div>
        <div>
          <p className={css.claim}>{t('ui.sign-in.claim')}</p>
          <p className={css.foot}>{foot}</p>
        </div>
      </aside>
      <main className={css.form}>
        <div className={css.box}>{children}</div>
        <div className={css.corner}>
          <a href={helpAddress(screen)} target={HELP_TARGET}>
            {t('ui.shell.help')}
          </a>
          <LanguageChoice />
        </div>
      </main>
    </div>
  )
}
