/**
 * The style of the welcome page.
 *
 * @module
 */

/** CSS of the page, light and dark. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1d2733; --soft: #5d6b7a; --line: #dfe5ec; --card: #ffffff; --page: #f4f6f9; --link: #0b5cad; --mark: #e8f1fb; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9aa8b7; --line: #2c3743; --card: #18212b; --page: #10161d; --link: #79b8ff; --mark: #1e3348; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 2.5rem 1.5rem 4rem; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { margin: 0; font-size: 2rem; letter-spacing: -0.02em; }
h2 { margin: 0 0 .75rem; font-size: 1.15rem; }
header p, footer p { margin: .25rem 0 1.75rem; color: var(--soft); }
.version { color: var(--soft); font-size: 1rem; font-weight: 400; }
main { display: grid; gap: 1.25rem; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); align-items: start; }
section, footer { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1.25rem 1.5rem; }
footer { margin-top: 1.25rem; }
footer p { margin-bottom: .75rem; }
a { color: var(--link); text-decoration: none; }
a:hover, a:focus-visible { text-decoration: underline; }
.root { margin: 0 0 .75rem; overflow-wrap: anywhere; }
.side { margin-left: .5rem; font-size: .875rem; }
.protocol, .kind { display: inline-block; padding: 0 .5rem; border-radius: .4rem; background: var(--mark); font-size: .75rem; color: var(--soft); }
.badge { margin-left: .25rem; padding: .1rem .5rem; border: 1px solid var(--line); border-radius: 1rem; font-size: .75rem; font-weight: 400; color: var(--soft); }
ul { margin: 0; padding: 0; list-style: none; display: flex; flex-wrap: wrap; gap: .35rem .9rem; }
.operations { margin-top: .75rem; padding-top: .75rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .9rem; }
code { padding: 0 .35rem; border-radius: .3rem; background: var(--mark); }
`;
