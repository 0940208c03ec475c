//! The Web IDL of a document: enumerations, dictionaries, interfaces and type definitions.
//!
//! A parser of Web IDL says whether a block is well formed and what it declares; the spelling of types and defaults, and
//! the lines, are those of the source. Partial declarations are put together with those that they extend.

mod source;

use weedle::interface::InterfaceMember;
use weedle::{Definition, Definitions, Parse};

use crate::bikeshed::{Document, IdlBlock, Problem};
use source::Source;

/// Brackets nested deeper than this are refused: the parser calls itself once for each.
const MAX_DEPTH: usize = 64;

/// What the blocks of a document declare.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Idl {
    /// Its enumerations.
    pub enumerations: Vec<Enumeration>,
    /// Its dictionaries.
    pub dictionaries: Vec<Dictionary>,
    /// Its interfaces, and mixins.
    pub interfaces: Vec<Interface>,
    /// Its type definitions.
    pub typedefs: Vec<Field>,
    /// Blocks that are not Web IDL.
    pub problems: Vec<Problem>,
}

/// An enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enumeration {
    /// Its name.
    pub name: String,
    /// The line on which it is declared.
    pub line: usize,
    /// Its values.
    pub values: Vec<String>,
}

/// A dictionary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dictionary {
    /// Its name.
    pub name: String,
    /// The line on which it is declared.
    pub line: usize,
    /// The dictionary whose members it has too.
    pub inherits: Option<String>,
    /// Its own members.
    pub members: Vec<Field>,
}

/// An interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Its name.
    pub name: String,
    /// The line on which it is declared first.
    pub line: usize,
    /// Whether only parts of it are declared here.
    pub is_partial: bool,
    /// Its attributes.
    pub attributes: Vec<Field>,
    /// Its methods; the constructor is called `constructor`.
    pub methods: Vec<Method>,
}

/// A method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Method {
    /// Its name.
    pub name: String,
    /// The line on which it is declared.
    pub line: usize,
    /// The type of its result.
    pub result: String,
    /// Its parameters.
    pub parameters: Vec<Field>,
}

/// Something with a type: a member of a dictionary, an attribute, a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// The line on which it is declared.
    pub line: usize,
    /// Its type with the attributes that go with it, such as `[EnforceRange] unsigned long`.
    pub type_: String,
    /// Whether it is marked as `required`, as `optional`, or as `readonly`.
    pub keyword: Option<String>,
    /// Its default.
    pub default: Option<String>,
}

impl Method {
    /// The method as an algorithm is named: `softmax(input, axis, options)`.
    pub fn signature(&self) -> String {
        let names: Vec<_> = self.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        format!("{}({})", self.name, names.join(", "))
    }
}

impl Idl {
    /// Reads the blocks of a document. What is not Web IDL is a problem, and the rest is read.
    pub fn of(document: &Document) -> Self {
        let mut idl = Self::default();
        for block in &document.idl {
            idl.add(block);
        }
        idl
    }

    /// The interface of this name.
    pub fn interface(&self, name: &str) -> Option<&Interface> {
        self.interfaces.iter().find(|interface| interface.name == name)
    }

    /// The dictionary of this name.
    pub fn dictionary(&self, name: &str) -> Option<&Dictionary> {
        self.dictionaries.iter().find(|dictionary| dictionary.name == name)
    }

    /// The members of a dictionary, those that it inherits first.
    pub fn all_members(&self, name: &str) -> Vec<&Field> {
        let mut chain = Vec::new();
        let mut next = self.dictionary(name);
        while let Some(dictionary) = next {
            chain.push(dictionary);
            // Nothing inherits from more than all others.
            let parent = dictionary.inherits.as_deref().filter(|_| chain.len() <= self.dictionaries.len());
            next = parent.and_then(|parent| self.dictionary(parent));
        }
        chain.into_iter().rev().flat_map(|dictionary| &dictionary.members).collect()
    }

    fn add(&mut self, block: &IdlBlock) {
        let source = Source::new(block);
        if source.depth() > MAX_DEPTH {
            let what = format!("brackets in this block of Web IDL are nested more than {MAX_DEPTH} deep");
            self.problems.push(Problem { line: block.line, what });
            return;
        }
        match Definitions::parse(source.parsed()) {
            Ok((rest, definitions)) => {
                definitions.iter().for_each(|definition| self.add_definition(definition, &source));
                if !rest.trim().is_empty() {
                    let line = source.line_of(rest.trim_start());
                    self.problems.push(Problem { line, what: "this is not Web IDL from here on".to_owned() });
                }
            }
            Err(_) => self.problems.push(Problem { line: block.line, what: "this block is not Web IDL".to_owned() }),
        }
    }

    fn add_definition(&mut self, definition: &Definition<'_>, source: &Source<'_>) {
        match definition {
            Definition::Enum(declared) => {
                let values = declared.values.body.list.iter().map(|value| value.value.0.to_owned()).collect();
                let (name, line) = source.name(declared.identifier.0);
                self.enumerations.push(Enumeration { name, line, values });
            }
            Definition::Dictionary(declared) => {
                let (name, line) = source.name(declared.identifier.0);
                let inherits = declared.inheritance.map(|parent| parent.identifier.0.to_owned());
                let names = declared.members.body.iter().map(|member| member.identifier.0);
                let members = source.fields(declared.identifier.0, names);
                self.extend_dictionary(Dictionary { name, line, inherits, members });
            }
            Definition::PartialDictionary(declared) => {
                let (name, line) = source.name(declared.identifier.0);
                let names = declared.members.body.iter().map(|member| member.identifier.0);
                let members = source.fields(declared.identifier.0, names);
                self.extend_dictionary(Dictionary { name, line, inherits: None, members });
            }
            Definition::Interface(declared) => {
                self.extend_interface(declared.identifier.0, &declared.members.body, source, false);
            }
            Definition::PartialInterface(declared) => {
                self.extend_interface(declared.identifier.0, &declared.members.body, source, true);
            }
            Definition::Typedef(declared) => self.typedefs.push(source.typedef(declared.identifier.0)),
            _ => {}
        }
    }

    fn extend_dictionary(&mut self, part: Dictionary) {
        match self.dictionaries.iter_mut().find(|dictionary| dictionary.name == part.name) {
            Some(dictionary) => {
                dictionary.members.extend(part.members);
                dictionary.inherits = dictionary.inherits.take().or(part.inherits);
            }
            None => self.dictionaries.push(part),
        }
    }

    fn extend_interface(
        &mut self,
        identifier: &str,
        members: &[InterfaceMember<'_>],
        source: &Source<'_>,
        is_partial: bool,
    ) {
        let (name, line) = source.name(identifier);
        let position = self.interfaces.iter().position(|interface| interface.name == name).unwrap_or_else(|| {
            self.interfaces.push(Interface { name, line, is_partial, attributes: Vec::new(), methods: Vec::new() });
            self.interfaces.len() - 1
        });
        let interface = &mut self.interfaces[position];
        interface.is_partial &= is_partial;
        for declaration in source.declarations(identifier).into_iter().take(members.len()) {
            match declaration.method() {
                Some(method) => interface.methods.push(method),
                None => interface.attributes.extend(declaration.attribute()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn idl(text: &str) -> Idl {
        let block = IdlBlock { line: 10, text: text.to_owned() };
        Idl::of(&Document { idl: vec![block], ..Document::default() })
    }

    #[test]
    fn declarations_have_the_spelling_of_the_source() {
        let idl = idl("\
enum E { \"a\", // a;
  \"b\" };
dictionary D : B {
  required sequence<[EnforceRange] unsigned long> shape;
  [EnforceRange] unsigned long groups = 1; /* ; */
  record<USVString, MLTensor> m;
};
partial dictionary D { DOMString message = \"a;b\"; };
[SecureContext, Exposed=(Window, Worker)]
interface I {
  constructor(C context);
  Promise<undefined> f(MLOperand x,
      ([EnforceRange] unsigned long or sequence<long>) y, optional D options = {});
  readonly attribute FrozenArray<unsigned long> shape;
};
partial interface I { undefined g(); };
typedef (bigint or unrestricted double) MLNumber;
");
        assert_eq!(idl.problems, []);
        assert_eq!(idl.enumerations[0].values, ["a", "b"]);
        let field = |field: &Field| {
            let Field { name, line, type_, keyword, default } = field;
            format!("{line} {} {type_} {name} {}", keyword.as_deref().unwrap_or("-"), default.as_deref().unwrap_or("-"))
        };
        assert_eq!(idl.dictionaries[0].inherits.as_deref(), Some("B"));
        assert_eq!(
            idl.all_members("D").into_iter().map(field).collect::<Vec<_>>(),
            [
                "13 required sequence<[EnforceRange] unsigned long> shape -",
                "14 - [EnforceRange] unsigned long groups 1",
                "15 - record<USVString, MLTensor> m -",
                "17 - DOMString message \"a;b\"",
            ]
        );
        let interface = idl.interface("I").unwrap();
        let signatures: Vec<_> = interface.methods.iter().map(Method::signature).collect();
        assert_eq!(signatures, ["constructor(context)", "f(x, y, options)", "g()"]);
        assert_eq!(interface.methods[1].result, "Promise<undefined>");
        assert_eq!(
            interface.methods[1].parameters.iter().map(field).collect::<Vec<_>>(),
            [
                "21 - MLOperand x -",
                "22 - ([EnforceRange] unsigned long or sequence<long>) y -",
                "22 optional D options {}",
            ]
        );
        assert_eq!(field(&interface.attributes[0]), "23 readonly FrozenArray<unsigned long> shape -");
        assert_eq!(field(&idl.typedefs[0]), "26 - (bigint or unrestricted double) MLNumber -");
    }

    #[test]
    fn what_is_no_web_idl_is_a_problem() {
        let problem = |text: &str| idl(text).problems.remove(0);
        assert_eq!(problem("enum E { \"a\" };\ninterface {").line, 11);
        assert_eq!(problem("nonsense").line, 10);
        assert!(problem(&format!("typedef {} x;", "sequence<".repeat(100))).what.contains("nested more than 64"));
        assert_eq!(idl(""), Idl::default());
    }
}
