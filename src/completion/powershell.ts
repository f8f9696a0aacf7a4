import type { Shell } from './candidate.ts';

const SCRIPT = `# Completion of waybill for PowerShell.
#
# In this shell:   waybill completion powershell | Out-String | Invoke-Expression
# In every shell:  the same line in the file that $PROFILE names
#
# waybill gets the words of the line as data, from PowerShell's own parser. Nothing on the line is run.

Register-ArgumentCompleter -Native -CommandName waybill -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.StartOffset -lt $cursorPosition } |
        ForEach-Object {
            if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value }
            else { $_.Extent.Text }
        })
    if ($wordToComplete -eq '') { $words += '' }
    # One word of letters and digits: no rule of quoting can change it on its way.
    $json = ConvertTo-Json -Compress -InputObject ([string[]]$words)
    $data = [Convert]::ToBase64String([System.Text.Encoding]::UTF8.GetBytes($json))
    $answer = (& waybill __complete powershell $data 2>$null) -join ''
    if (-not $answer) { return }
    foreach ($found in (ConvertFrom-Json -InputObject $answer)) {
        [System.Management.Automation.CompletionResult]::new($found.text, $found.shown, 'ParameterValue', $found.says)
    }
}
`;

export const powershell: Shell = {
  script: SCRIPT,
  read([data = '']) {
    const words: unknown = JSON.parse(Buffer.from(data, 'base64').toString());
    return Array.isArray(words) ? words.map(String) : [String(words)];
  },
  write: ({ candidates }) =>
    // The code page may be any one, so only ASCII is written. `says` is the name that scripts of users read.
    JSON.stringify(
      candidates.map(({ value, description }) => ({
        text: quoted(value),
        shown: value,
        says: description || value,
      })),
    ).replace(/[^ -~]/g, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`),
};

/** A word that PowerShell reads as it is: in single quotes nothing is expanded. */
const quoted = (value: string): string =>
  /^[\w./:=+-]+$/.test(value) ? value : `'${value.replace(/['\u2018-\u201b]/g, '$&$&')}'`;
