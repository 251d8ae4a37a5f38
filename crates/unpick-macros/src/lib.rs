//! The attributes `#[unpick::test]` and `#[unpick_actors::actor]`.

mod actor;

use proc_macro::TokenStream;
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, Ident, ItemFn, ItemTrait, Token, parse_macro_input};

/// `key = value` pairs: methods of `Config`.
struct Settings {
    pairs: Punctuated<Setting, Token![,]>,
}

struct Setting {
    name: Ident,
    value: Expr,
}

impl Parse for Setting {
    fn parse(input: ParseStream<'_>) -> syn::Result<Setting> {
        let name = input.parse()?;
        input.parse::<Token![=]>()?;
        let value = input.parse()?;
        Ok(Setting { name, value })
    }
}

impl Parse for Settings {
    fn parse(input: ParseStream<'_>) -> syn::Result<Settings> {
        let pairs = Punctuated::parse_terminated(input)?;
        Ok(Settings { pairs })
    }
}

/// Makes a function without arguments a test that is explored.
///
/// Every setting is a method of `unpick::Config`:
///
/// ```text
/// #[unpick::test(strategy = "dfs", executions = 10_000)]
/// fn the_counter_counts() { ... }
/// ```
#[proc_macro_attribute]
pub fn test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let settings = parse_macro_input!(arguments as Settings);
    let function = parse_macro_input!(item as ItemFn);
    if !function.sig.inputs.is_empty() {
        let message = "an explored test takes no arguments; use unpick::choose for varying data";
        return quote_spanned!(function.sig.inputs.span() => compile_error!(#message);).into();
    }
    if function.sig.asyncness.is_some() {
        let message = "an explored test is not async; drive the future inside of it";
        return quote_spanned!(function.sig.span() => compile_error!(#message);).into();
    }
    let calls = settings
        .pairs
        .iter()
        .map(|Setting { name, value }| quote_spanned!(name.span() => .#name(#value)));
    let (attributes, visibility) = (&function.attrs, &function.vis);
    // A test that should panic is green when it fails, and leaves nothing.
    let should_panic = |attribute: &syn::Attribute| attribute.path().is_ident("should_panic");
    let saving = attributes
        .iter()
        .any(should_panic)
        .then(|| quote!(.save(false)));
    let (name, body) = (&function.sig.ident, &function.block);
    let output = &function.sig.output;
    quote! {
        #[::core::prelude::v1::test]
        #(#attributes)*
        #visibility fn #name() {
            fn body() #output #body
            let name = ::core::concat!(::core::module_path!(), "::", ::core::stringify!(#name));
            ::unpick::check_with(
                ::unpick::Config::new().name(name) #saving #(#calls)* .with_environment(),
                || { ::unpick::accept(body()) },
            );
        }
    }
    .into()
}

/// Makes a trait the messages of an actor: each method is one.
///
/// For a trait `Account` there will be `AccountMessage` with a variant for each method, and
/// `AccountProxy`, whose methods send: they take what the methods of the trait take, less `&mut self` and a
/// first parameter `&Context<AccountProxy>`. A method that returns something is a request, and its send
/// gives a `Response`; so is one whose last parameter is a `Reply<T>`, which answers when it likes. Methods may be `async`. If the trait has supertraits, these are such traits, too.
///
/// With `#[actor(clone)]` messages can be copied, so that a test can let them arrive twice.
#[proc_macro_attribute]
pub fn actor(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let argument = parse_macro_input!(arguments as Option<Ident>);
    if let Some(argument) = argument.as_ref().filter(|argument| *argument != "clone") {
        let message = "`actor` takes `clone` or nothing";
        return quote_spanned!(argument.span() => compile_error!(#message);).into();
    }
    let item = parse_macro_input!(item as ItemTrait);
    actor::expand(&item, argument.is_some())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
