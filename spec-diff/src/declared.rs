//! What the Rust code declares of the Web IDL: enumerations, dictionaries, and the signatures of methods.
//!
//! An enumeration is an `enum` with a function `as_str`; a dictionary is a `struct` of the same name, whose members are
//! read in `from_members`, or are its fields where script does not pass them as options; a method is a function that
//! opens the frame of the method's algorithm. Types and defaults are put into the words of Web IDL, so that the two can be
//! compared as texts.

mod default;
mod spelling;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use syn::visit::{self, Visit};
use syn::{Expr, FnArg, ImplItem, ImplItemFn, Item, ItemEnum, ItemImpl, ItemStruct, Member, ReturnType, Stmt};

use crate::code::{CodeError, Place, Sources};
pub use spelling::{canonical, number};

/// Everything that a folder of source files declares.
#[derive(Clone, Debug, Default)]
pub struct Declared {
    /// The enumerations, by name.
    pub enumerations: BTreeMap<String, Enumeration>,
    /// The dictionaries, by name.
    pub dictionaries: BTreeMap<String, Dictionary>,
    /// The methods, by the name of their algorithm.
    pub methods: BTreeMap<String, Method>,
}

/// An enumeration in code.
#[derive(Clone, Debug)]
pub struct Enumeration {
    /// Where it is declared.
    pub place: Place,
    /// Its values as script writes them, in order.
    pub values: Vec<String>,
    /// The value of each variant.
    variants: BTreeMap<String, String>,
    /// The variant that is the default.
    default: Option<String>,
}

/// A dictionary in code.
#[derive(Clone, Debug)]
pub struct Dictionary {
    /// Where it is declared.
    pub place: Place,
    /// Its members.
    pub members: Vec<Field>,
}

/// A member, or a parameter.
#[derive(Clone, Debug)]
pub struct Field {
    /// What Web IDL calls it.
    pub name: String,
    /// Where it is declared.
    pub place: Place,
    /// Its type in the words of Web IDL.
    pub type_: String,
    /// Its default in the words of Web IDL.
    pub default: Option<String>,
}

/// A method in code.
#[derive(Clone, Debug)]
pub struct Method {
    /// Where it is declared.
    pub place: Place,
    /// Its parameters.
    pub parameters: Vec<Field>,
    /// The type of its result in the words of Web IDL.
    pub result: String,
    /// Whether its file reads integers without a range, as Web IDL does where it lacks `[EnforceRange]`.
    pub reads_without_range: bool,
}

impl Declared {
    /// Finds what source files declare.
    ///
    /// # Errors
    /// If a file is not Rust.
    pub fn of(sources: &Sources) -> Result<Self, CodeError> {
        let mut declared = Self::default();
        let mut raw = Vec::new();
        for (file, source) in &sources.files {
            // What links to no definition of the specification declares nothing of it.
            if !["#enumdef-", "#dictdef-", "#dom-", "#api-ml"].iter().any(|anchor| source.contains(anchor)) {
                continue;
            }
            let syntax = syn::parse_file(source).map_err(|error| CodeError::NotRust {
                path: file.clone(),
                line: error.span().start().line,
                reason: error.to_string(),
            })?;
            let file: Arc<Path> = file.as_path().into();
            let reads_without_range = source.contains("<WithoutRange>");
            let mut reader = Reader { file, reads_without_range, declared: &mut declared, raw: &mut raw };
            syntax.items.iter().for_each(|item| reader.item(item));
        }
        for RawDefault { dictionary, member, text } in raw {
            let value = default::in_web_idl(&text, &declared.enumerations);
            let members = declared.dictionaries.get_mut(&dictionary).map(|dictionary| &mut dictionary.members);
            if let Some(field) = members.and_then(|members| members.iter_mut().find(|field| field.name == member)) {
                field.default = value;
            }
        }
        Ok(declared)
    }
}

/// A default in Rust: it may name an enumeration of another file.
struct RawDefault {
    dictionary: String,
    member: String,
    text: String,
}

/// Reads one file.
struct Reader<'d> {
    file: Arc<Path>,
    reads_without_range: bool,
    declared: &'d mut Declared,
    raw: &'d mut Vec<RawDefault>,
}

impl Reader<'_> {
    fn place(&self, span: proc_macro2::Span) -> Place {
        Place { file: self.file.clone(), line: span.start().line }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Enum(declared) => self.enumeration(declared),
            Item::Struct(declared) => self.dictionary(declared),
            Item::Impl(block) => self.block(block),
            _ => {}
        }
    }

    fn enumeration(&mut self, declared: &ItemEnum) {
        let place = self.place(declared.ident.span());
        let is_default = |variant: &&syn::Variant| variant.attrs.iter().any(|it| it.path().is_ident("default"));
        let default = declared.variants.iter().find(is_default).map(|variant| variant.ident.to_string());
        let enumeration = Enumeration { place, values: Vec::new(), variants: BTreeMap::new(), default };
        self.declared.enumerations.insert(declared.ident.to_string(), enumeration);
    }

    fn dictionary(&mut self, declared: &ItemStruct) {
        let fields = declared.fields.iter().filter_map(|field| {
            let ident = field.ident.as_ref()?;
            let name = spelling::camel_case(&ident.to_string());
            Some(Field { name, place: self.place(ident.span()), type_: spelling::of_type(&field.ty), default: None })
        });
        let dictionary = Dictionary { place: self.place(declared.ident.span()), members: fields.collect() };
        self.declared.dictionaries.insert(declared.ident.to_string(), dictionary);
    }

    fn block(&mut self, block: &ItemImpl) {
        let name = spelling::of_type(&block.self_ty);
        let of = block.trait_.as_ref().and_then(|(path, _)| path.segments.last()).map(|last| last.ident.to_string());
        for item in &block.items {
            let ImplItem::Fn(function) = item else { continue };
            match (of.as_deref(), function.sig.ident.to_string().as_str()) {
                (None, "as_str") => self.values(&name, function),
                (Some("Options"), "from_members") => self.members(&name, function),
                (Some("Default"), "default") => self.defaults(&name, function),
                (None, _) => self.method(function),
                _ => {}
            }
        }
    }

    /// The values of an enumeration: the strings that its variants are matched to.
    fn values(&mut self, name: &str, function: &ImplItemFn) {
        let Some(enumeration) = self.declared.enumerations.get_mut(name) else { return };
        let mut arms = Arms::default();
        arms.visit_impl_item_fn(function);
        enumeration.values = arms.0.iter().map(|(_, value)| value.clone()).collect();
        enumeration.variants = arms.0.into_iter().collect();
    }

    /// The members of a dictionary as they are read.
    fn members(&mut self, name: &str, function: &ImplItemFn) {
        let mut reads = Reads::default();
        reads.visit_impl_item_fn(function);
        let Some(dictionary) = self.declared.dictionaries.get_mut(name) else { return };
        let file = &self.file;
        for Read { field, member, default, line } in reads.0 {
            if let Some(known) = dictionary.members.iter_mut().find(|known| known.name == spelling::camel_case(&field))
            {
                known.name.clone_from(&member);
                known.place = Place { file: file.clone(), line };
            }
            self.raw.extend(default.map(|text| RawDefault { dictionary: name.to_owned(), member, text }));
        }
    }

    /// The defaults of a dictionary that script does not pass as options.
    fn defaults(&mut self, name: &str, function: &ImplItemFn) {
        let mut fields = Fields::default();
        fields.visit_impl_item_fn(function);
        for (field, text) in fields.0 {
            let member = spelling::camel_case(&field);
            self.raw.insert(0, RawDefault { dictionary: name.to_owned(), member, text });
        }
    }

    fn parameters(&self, pattern: &syn::Pat, type_: &syn::Type) -> Vec<Field> {
        let field = |(name, type_): (&syn::Ident, &syn::Type)| Field {
            name: spelling::camel_case(&name.to_string()),
            place: self.place(name.span()),
            type_: spelling::of_type(type_),
            default: None,
        };
        named(pattern, type_).into_iter().map(field).collect()
    }

    fn method(&mut self, function: &ImplItemFn) {
        let Some(algorithm) = function.block.stmts.iter().find_map(frame) else { return };
        let parameters = function.sig.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(typed) => Some(self.parameters(&typed.pat, &typed.ty)),
            FnArg::Receiver(_) => None,
        });
        let result = match &function.sig.output {
            ReturnType::Default => "undefined".to_owned(),
            ReturnType::Type(_, type_) => spelling::of_type(type_),
        };
        let method = Method {
            place: self.place(function.sig.ident.span()),
            parameters: parameters.flatten().collect(),
            result,
            reads_without_range: self.reads_without_range,
        };
        self.declared.methods.entry(algorithm).or_insert(method);
    }
}

/// The parts of a pattern with their types: an array of operands stands for as many parameters.
fn named<'t>(pattern: &'t syn::Pat, type_: &'t syn::Type) -> Vec<(&'t syn::Ident, &'t syn::Type)> {
    match (pattern, type_) {
        (syn::Pat::Ident(name), _) => vec![(&name.ident, type_)],
        (syn::Pat::Slice(slice), syn::Type::Array(array)) => {
            slice.elems.iter().flat_map(|pattern| named(pattern, &array.elem)).collect()
        }
        _ => Vec::new(),
    }
}

/// The name of the algorithm whose frame a statement opens.
fn frame(statement: &Stmt) -> Option<String> {
    let Stmt::Macro(call) = statement else { return None };
    if call.mac.path.segments.last()?.ident != "algorithm" {
        return None;
    }
    let first = call.mac.tokens.clone().into_iter().next()?;
    syn::parse_str::<syn::LitStr>(&first.to_string()).ok().map(|name| name.value())
}

/// The arms of a match that give a string for a variant.
#[derive(Default)]
struct Arms(Vec<(String, String)>);

impl<'ast> Visit<'ast> for Arms {
    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        let path = match &arm.pat {
            syn::Pat::Path(variant) => variant.path.segments.last().map(|last| last.ident.to_string()),
            syn::Pat::Ident(variant) => Some(variant.ident.to_string()),
            _ => None,
        };
        if let (Some(variant), Expr::Lit(literal)) = (path, &*arm.body)
            && let syn::Lit::Str(value) = &literal.lit
        {
            self.0.push((variant, value.value()));
        }
    }
}

/// A member of a dictionary, as `from_members` reads it.
struct Read {
    field: String,
    member: String,
    default: Option<String>,
    line: usize,
}

/// The fields of a struct expression whose values come from `members`.
#[derive(Default)]
struct Reads(Vec<Read>);

impl<'ast> Visit<'ast> for Reads {
    fn visit_field_value(&mut self, value: &'ast syn::FieldValue) {
        let Member::Named(field) = &value.member else { return };
        let mut calls = Calls::default();
        calls.visit_expr(&value.expr);
        if let Some((member, default, line)) = calls.0 {
            self.0.push(Read { field: field.to_string(), member, default, line });
        }
    }
}

/// The first call of a method that reads a member.
#[derive(Default)]
struct Calls(Option<(String, Option<String>, usize)>);

impl<'ast> Visit<'ast> for Calls {
    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let name = |expression: &Expr| match expression {
            Expr::Lit(literal) => match &literal.lit {
                syn::Lit::Str(value) => Some(value.value()),
                _ => None,
            },
            _ => None,
        };
        let line = call.method.span().start().line;
        let read = match (call.method.to_string().as_str(), call.args.iter().collect::<Vec<_>>().as_slice()) {
            ("label", []) => Some(("label".to_owned(), Some("String::new()".to_owned()))),
            ("optional", [member]) => name(member).map(|member| (member, None)),
            ("or", [member, default]) => name(member).map(|member| (member, Some(text(default)))),
            _ => None,
        };
        match read {
            Some((member, default)) => self.0 = Some((member, default, line)),
            None => visit::visit_expr_method_call(self, call),
        }
    }
}

/// The fields of a struct expression, and their values as text.
#[derive(Default)]
struct Fields(Vec<(String, String)>);

impl<'ast> Visit<'ast> for Fields {
    fn visit_field_value(&mut self, value: &'ast syn::FieldValue) {
        if let Member::Named(field) = &value.member {
            self.0.push((field.to_string(), text(&value.expr)));
        }
    }
}

fn text(expression: &Expr) -> String {
    use quote::ToTokens as _;
    expression.to_token_stream().to_string().replace(' ', "")
}
