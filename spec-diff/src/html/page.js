// Search, and which steps are shown. Everything is on the page; this only hides.
const search = document.getElementById('search');
const only = document.getElementById('only');
const sections = [...document.querySelectorAll('section')].map(section => ({
  section,
  name: section.querySelector('h2').textContent.toLowerCase(),
  text: section.textContent.toLowerCase(),
  steps: [...section.querySelectorAll('li')],
  entry: document.querySelector(`nav a[href="#${CSS.escape(section.id)}"]`)?.parentElement,
}));

function show() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0, steps = 0;
  for (const { section, text, steps: all, entry } of sections) {
    let shown = words.every(word => text.includes(word));
    let kept = 0;
    for (const step of all) {
      step.hidden = only.value !== '' && !step.classList.contains(only.value);
      kept += !step.hidden;
    }
    shown &&= only.value === '' || kept > 0;
    section.hidden = !shown;
    if (entry) entry.hidden = !shown;
    count += shown;
    steps += shown ? kept : 0;
  }
  document.getElementById('count').textContent = `${count} algorithms, ${steps} steps`;
  document.getElementById('nothing').hidden = count > 0;
}

search.addEventListener('input', show);
only.addEventListener('change', show);
document.addEventListener('keydown', event => {
  if (event.key === '/' && document.activeElement !== search) {
    event.preventDefault();
    search.focus();
  }
});
// On a narrow screen the list of algorithms would come before everything else.
if (matchMedia('(max-width: 800px)').matches) document.getElementById('contents').open = false;
show();
