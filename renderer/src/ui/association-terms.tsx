import type { AssociationTerms } from '#shared/contract/dashboard-activity.ts'
import { numberText } from '../format/amounts.ts'
import { knownText, t } from '../i18n/t.ts'
import css from './association-terms.module.css'
import { FactList } from './page.tsx'
import { Tag } from './tone.tsx'

/** What the device proposed and what was taken of it: for those who know DICOM. */
export function NegotiatedContexts({ terms }: { terms: AssociationTerms | null }) {
  if (terms === null) return t('ui.activity.one.notAgreed')
  const { implementationClassUid, implementationVersionName, maximumLength, contexts } = terms
  return (
    <>
      <p>{t('ui.activity.one.agreedAbout')}</p>
      <FactList
        facts={[
          [
            t('ui.activity.one.termsFacts.implementation'),
            <span key="implementation" className="mono">
              {implementationVersionName} {implementationClassUid}
            </span>,
          ],
          [
            t('ui.activity.one.termsFacts.longest'),
            maximumLength === 0
              ? t('ui.activity.one.anyLength')
              : t('ui.activity.one.bytes', { bytes: numberText(maximumLength) }),
          ],
        ]}
      />
      <div className={css.terms}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t('ui.activity.one.contexts.id')}</th>
              <th scope="col">{t('ui.activity.one.contexts.service')}</th>
              <th scope="col">{t('ui.activity.one.contexts.proposed')}</th>
              <th scope="col">{t('ui.activity.one.contexts.result')}</th>
            </tr>
          </thead>
          <tbody>
            {contexts.map(
              ({ id, name, abstractSyntax, transferSyntaxes, result, transferSyntax }) => (
                <tr key={id}>
                  <td>{id}</td>
                  <td translate="no">
                    {name}
                    {name !== abstractSyntax && (
                      <div className={`mono ${css.under}`}>{abstractSyntax}</div>
                    )}
                  </td>
                  <td className="mono" translate="no">
                    {transferSyntaxes.map((syntax) => (
                      <div key={syntax}>{syntax}</div>
                    ))}
                  </td>
                  <td>
                    <Tag tone={result === 0 ? 'good' : 'warning'}>{resultText(result)}</Tag>
                    {transferSyntax && (
                      <div className={`mono ${css.under}`} translate="no">
                        {transferSyntax}
                      </div>
                    )}
                  </td>
                </tr>
              ),
            )}
          </tbody>
        </table>
      </div>
    </>
  )
}

/** Result of a presentation context (PS3.8 Table 9-18). */
function resultText(result: number): string {
  return knownText(`ui.activity.one.results.${result}`) ?? numberText(result)
}
