import type { AssociationTerms } from '#shared/contract/dashboard-activity.ts'
import { Facts } from '../components/page.tsx'
import { Tag } from '../components/tone.tsx'
import { numberText } from '../display/amounts.ts'
import css from './activity.module.css'
import { words } from './words.ts'

const { one: texts } = words

/** What the device proposed and what was taken of it: for those who know DICOM. */
export function Terms({ terms }: { terms: AssociationTerms | null }) {
  if (terms === null) return texts.notAgreed
  const { implementationClassUid, implementationVersionName, maximumLength, contexts } = terms
  return (
    <>
      <p>{texts.agreedAbout}</p>
      <Facts
        facts={[
          [
            texts.termsFacts.implementation,
            <span key="implementation" className="mono">
              {implementationVersionName} {implementationClassUid}
            </span>,
          ],
          [
            texts.termsFacts.longest,
            maximumLength === 0 ? texts.anyLength : texts.bytes(numberText(maximumLength)),
          ],
        ]}
      />
      <div className={css.terms}>
        <table>
          <thead>
            <tr>
              <th scope="col">{texts.contexts.id}</th>
              <th scope="col">{texts.contexts.service}</th>
              <th scope="col">{texts.contexts.proposed}</th>
              <th scope="col">{texts.contexts.result}</th>
            </tr>
          </thead>
          <tbody>
            {contexts.map(
              ({ id, name, abstractSyntax, transferSyntaxes, result, transferSyntax }) => (
                <tr key={id}>
                  <td>{id}</td>
                  <td>
                    {name}
                    {name !== abstractSyntax && (
                      <div className={`mono ${css.under}`}>{abstractSyntax}</div>
                    )}
                  </td>
                  <td className="mono">
                    {transferSyntaxes.map((syntax) => (
                      <div key={syntax}>{syntax}</div>
                    ))}
                  </td>
                  <td>
                    <Tag tone={result === 0 ? 'good' : 'warning'}>
                      {texts.results[result] ?? numberText(result)}
                    </Tag>
                    {transferSyntax && <div className={`mono ${css.under}`}>{transferSyntax}</div>}
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
